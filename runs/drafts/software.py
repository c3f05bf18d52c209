"""The names of servers, languages and frameworks that headings, sentences and descriptions of machines have."""

from __future__ import annotations

import re

SOFTWARE = re.compile(
    r"nginx|apache\d?|httpd|lighttpd|caddy|haproxy|varnish|squid|envoy|traefik|tomcat|jetty|undertow|netty|node|deno|bun|express"
    r"|fastify|koa|django|flask|fastapi|rails|sinatra|puma|unicorn|thin|passenger|gunicorn|uvicorn|uwsgi|mongrel|webrick|php|fpm"
    r"|hhvm|fastcgi|golang|rust|java|python|ruby|perl|erlang|elixir|phoenix|openresty|iis|litespeed|cherokee|mysql|mariadb"
    r"|postgres(?:ql)?|redis|memcached|docker|prefork|worker|event|itk|peruser|tornado|twisted|gevent|cherrypy|mongodb",
    re.IGNORECASE,
)
