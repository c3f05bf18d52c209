"""Secrets in pasted text are found, and what only looks like one is left alone."""

from __future__ import annotations

import json
import random
import re
import time
from base64 import b64encode
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parsers.tests.attacks import is_slow, make_attacks
from runs.accounts import make_token
from runs.ingest import redact, secret_copies
from runs.ingest.redact import SecretSearch, find_secrets, redact_secrets
from runs.ingest.secret_copies import mask_words
from runs.ingest.secret_kinds import KINDS
from runs.ingest.secret_values import KNOWN_BY_THEMSELVES

BEGIN, END = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
PGP = "-----BEGIN PGP PRIVATE KEY BLOCK-----"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Cookie: sid=abc123; theme=dark", "Cookie: [redacted]"),
        ("PASS=hunter2secret ./load.sh", "PASS=[redacted] ./load.sh"),
        ("htpasswd -b users joe hunter2secret", "htpasswd -b users joe [redacted]"),
        ("php_admin_value mysqli.default_pw hunter2secret", "php_admin_value mysqli.default_pw [redacted]"),
        ("$ echo hunter2secret | sudo -S nginx -s reload", "$ echo [redacted] | sudo -S nginx -s reload"),
        (f"LINEAR={'lin_' + 'api_' + 40 * 'a'}", "LINEAR=[redacted]"),
        ("> Authorization: Bearer abc.def", "> Authorization: [redacted]"),
        ("Set-Cookie: a=b; Path=/", "Set-Cookie: [redacted]"),
        ("ab -n 10 -C session=f00ba4 http://x/", "ab -n 10 -C [redacted] http://x/"),
        ("$ ab -n 10 -C 'a=b; c=d' \"http://x/\"", "$ ab -n 10 -C '[redacted]' \"http://x/\""),
        ("# ab -A admin:hunter2 http://x/", "# ab -A [redacted] http://x/"),
        ("ab -H 'Cookie: a=b; c=d' http://x/", "ab -H 'Cookie: [redacted]' http://x/"),
        ('siege -H "Authorization: Basic dXNlcjpw" http://x/', 'siege -H "Authorization: [redacted]" http://x/'),
        ("curl -u joe:pa55word http://x/", "curl -u [redacted] http://x/"),
        ("ab http://joe:pa55@web1/", "ab http://joe:[redacted]@web1/"),
        ("postgres://bench:s3cr3t@db/bench", "postgres://bench:[redacted]@db/bench"),
        ("root 1 0.0 mysqldump --password=geheim db", "root 1 0.0 mysqldump --password=[redacted] db"),
        ("mysql -u root -pgeheim db", "mysql -u root -p[redacted] db"),
        ("tool --api-key 0123456789abcdef", "tool --api-key [redacted]"),
        ("DB_PASSWORD = 'hunter2 x'", "DB_PASSWORD = '[redacted]'"),
        ("define('DB_PASSWORD', 'hunter2');", "define('DB_PASSWORD', '[redacted]');"),
        ("  password: hunter2", "  password: [redacted]"),
        ('"secret_key": "abcdefgh",', '"secret_key": "[redacted]",'),
        ("requirepass foobared", "requirepass [redacted]"),
        ("PGPASSWORD=hunter2 psql", "PGPASSWORD=[redacted] psql"),
        ("AuthLDAPBindPassword hunter2", "AuthLDAPBindPassword [redacted]"),
        ('proxy_set_header Authorization "Basic abc=";', 'proxy_set_header Authorization "[redacted]";'),
        ("key AKIAIOSFODNN7EXAMPLE here", "key [redacted] here"),
        ("redis-server --requirepass hunter2 --port 1", "redis-server --requirepass [redacted] --port 1"),
        ("masteruser x masterauth hunter2", "masteruser x masterauth [redacted]"),
        ("user default on >hunter2 ~* +@all", "user default on >[redacted] ~* +@all"),
        ("SetEnv DB_PASS hunter2", "SetEnv DB_PASS [redacted]"),
        ("fastcgi_param DB_PASS hunter2;", "fastcgi_param DB_PASS [redacted];"),
        ("ssl_password hunter2;", "ssl_password [redacted];"),
        ("secret_key_base: 0123456789abcdef", "secret_key_base: [redacted]"),
        ("mysqli.default_pw = hunter2", "mysqli.default_pw = [redacted]"),
        ("$db_pw = 'hunter2';", "$db_pw = '[redacted]';"),
        ("authorization: basic dXNlcjpwYXNz", "authorization: [redacted]"),
        ("sent basic dXNlcjpwYXNzd29yZA== along", "sent basic [redacted] along"),
        ("AccountKey=abcdEFGHijkl==;Suffix=core", "AccountKey=[redacted];Suffix=core"),
        ("bindpw hunter2", "bindpw [redacted]"),
        ("machine web1 login joe password hunter2", "machine web1 login joe password [redacted]"),
        ("    stats auth admin:hunter2", "    stats auth admin:[redacted]"),
        ("$ docker login -u joe -p hunter2 hub", "$ docker login -u joe -p [redacted] hub"),
        ("$ mongosh -u joe -p hunter2", "$ mongosh -u joe -p [redacted]"),
        ("$ http --auth joe:hunter2 :8000", "$ http --auth [redacted] :8000"),
        ("joe:$apr1$abcdefgh$0123456789abcdefghijkl", "joe:[redacted]"),
        ("GET /?PHPSESSID=0123456789abcdef01 HTTP/1.1", "GET /?PHPSESSID=[redacted] HTTP/1.1"),
        ("https://hooks.slack.com/services/T0/B0/abcdefghijklmnopqrst", "https://hooks.slack.com/services/[redacted]"),
        ("$ cat ~/.pgpass\ndb1:5432:app:app:hunter2\n$ uptime", "$ cat ~/.pgpass\n[redacted]\n$ uptime"),
        ("# cat sasl_passwd\n# relay\n[mx]:587 joe@x:hunter2\n", "# cat sasl_passwd\n# relay\n[redacted]\n"),
        (
            "$ cat /etc/ppp/chap-secrets\njoe * hunter2 *\n\njoe ran",
            "$ cat /etc/ppp/chap-secrets\n[redacted]\n\njoe ran",
        ),
        ("$ cat config/master.key\n0123456789abcdef", "$ cat config/master.key\n[redacted]"),
        ('echo "db1:5432:*:app:hunter2" >> ~/.pgpass', 'echo "db1:5432:*:app:[redacted]" >> ~/.pgpass'),
        ('send "hunter2secret\\r"', 'send "[redacted]\\r"'),
        ("GET /back?code=0123456789abcdef HTTP/1.1", "GET /back?code=[redacted] HTTP/1.1"),
        (f"tls.key: {b64encode(BEGIN.encode()).decode()}", "tls.key: [redacted]"),
        (
            "https://x.webhook.office.com/webhookb2/0123456789@abcdefghij",
            "https://x.webhook.office.com/webhookb2/[redacted]",
        ),
        (f"{PGP}\nVersion: 2\n\nlQOYBGNabc\n=ab\n", f"{PGP}\nVersion: 2\n\n[redacted]\n[redacted]\n"),
        ("-----BEGIN PRIVATE KEY-----MIIEabc-----END PRIVATE KEY-----", f"{BEGIN}[redacted]{END}"),
    ],
)
def test_it_redacts_a_secret(text, clean):
    assert redact_secrets(text) == clean


@pytest.mark.parametrize(
    ("prefix", "length"),
    [
        *(("bd_", 43), ("glpat-", 20), ("npm_", 36), ("sk-proj-", 48), ("sk-ant-api03-", 40), ("sk-", 48)),
        *(("ghp_", 36), ("github_pat_", 82), ("hf_", 34), ("dckr_pat_", 27), ("hvs.", 24), ("shpat_", 32)),
        *(
            ("sk_live_", 24),
            ("AIza", 35),
            ("xoxb-", 50),
            ("pypi-Ag", 60),
            ("glsa_", 32),
            ("GOCSPX-", 28),
            ("ya29.", 60),
            ("whsec_", 32),
            ("pscale_tkn_", 32),
            ("glrt-", 20),
            ("tskey-auth-", 32),
            ("rubygems_", 48),
            ("ntn_", 40),
            ("glptt-", 40),
            ("gldt-", 20),
            ("glcbt-", 20),
            ("glsoat-", 20),
            ("glft-", 20),
            ("glimt-", 25),
            ("glagent-", 50),
        ),
    ],
)
def test_keys_are_known_by_how_they_begin(prefix, length):
    key = prefix + ("aB3" * length)[:length]
    assert redact_secrets(f"curl {key} x") == "curl [redacted] x"


# Made: the secret between « and ».
USUAL = """\
curl -H 'X-JFrog-Art-Api: «aB3dE6gH9jK2mN5pQ8sT»' http://web1/
curl -H "Fastly-Key: «aB3dE6gH9jK2mN5pQ8sT»" http://web1/
proxy_set_header X-Origin-Secret «aB3dE6gH9jK2mN5»;
http-request set-header Authorization 'Bearer «aB3dE6gH9jK2mN5»'
wrk.headers["Cookie"] = "sid=«aB3dE6gH9jK2mN5»"
req.Header.Set("Authorization", "Bearer «aB3dE6gH9jK2mN5»")
req.SetBasicAuth("joe", "«hunter2x»")
requests.get(url, auth=("joe", "«hunter2x»"))
http.get(url).basicAuth("joe", "«hunter2x»")
$db = new PDO('mysql:host=db;dbname=shop', 'joe', '«hunter2x»');
$db = mysqli_connect($host, 'joe', '«hunter2x»', 'shop');
$cred = ConvertTo-SecureString '«hunter2x»' -AsPlainText -Force
mc alias set store http://store:9000 AKEY1234 «aB3dE6gH9jK2mN5»
key "bench" { algorithm hmac-sha256; secret "«tAKKqCsBWl21DGQCu4IrlLEB=»"; };
ACL SETUSER joe on >«hunter2x» allkeys
mount -t cifs //nas/share /mnt -o user=joe,pass=«hunter2xy»
http://web1/login?user=joe&pass=«hunter2xy»
http://web1/?key=«aB3dE6gH9jK2mN5pQ8sT1uV4»
http://web1/?jwt=«aB3dE6gH9jK2mN5»
JWT=«aB3dE6gH9jK2mN5» drill -b bench.yml
user: admin pass: «hunter2xy»
pw: «hunter2xy»
the same as before (password «hunter2x»)
credentials admin:«hunter2xy»
app.secret_key = b'«aB3dE6gH9jK2»'
hmac_key: «b77829b095d9e4db8e0e67c6aaacca4a»
<machineKey validationKey="«4E80ABCC37E1D8731ABAF10A1A438711»" />
setx DB_PASSWORD «hunter2x»
set -x API_TOKEN «hunter2x»
- basicauth.users=joe:«$$apr1$$vrGF5xrk$$KnPrWr24oh3iebDdVm55wm»
curl --cert me.pem:«hunter2x» https://web1/
sbp_: «sbp_f53cf6e909924611fdccd040cde3755b3bb09b18»
netlify: «nfp_FvWanyTT5c4q8afp0uLEeEOzay2btC795JiQ»
fly: «FlyV1 fm2_E58c/7RvRlSdG34OVmdGsmL4L5+kJLgT2JCRtE8AVib»
rnd: «rnd_MxD4SDgf4aBQCCV2MHCws7DwcVqk»
jfrog: «AKCp806hdfd2sxCHDL6TUuaX1a32ntLODt6VKyoMZuz1wXZmOWF8Rp2mG7»
export AWS_SECRET_ACCESS_KEY=«wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»
aws_session_token = «FwoGZXIvYXdzEBYaDKexample»
AZURE_CLIENT_SECRET=«Q~x8Q~abcdEFGH1234.zzzzzzzzzzzzzzzzzzzz»
DefaultEndpointsProtocol=https;AccountName=bench;AccountKey=«Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==»
https://bench.blob.core.windows.net/logs?sv=2022-11-02&sig=«t7ZyqR3m%2Fabcd1234efgh5678%3D»
https://s3.amazonaws.com/b/k?X-Amz-Credential=AKIDEXAMPLE&X-Amz-Signature=«5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7»
refresh_token: «1//0gabcdefGHIJKLmnopQRST-uvwxYZ»
redis://:«p4ssw0rdX»@cache:6379/0
amqp://guest:«gu3stpw»@rabbit:5672//
mongodb+srv://app:«S3cr3t%21»@cluster0.mongodb.net/db
jdbc:mysql://db/app?user=app&password=«Sup3rS3cret»
jdbc:oracle:thin:scott/«tiger99»@//db:1521/x
Server=db;Database=app;User Id=sa;Password=«Str0ng!Pass»;
Server=db;Uid=sa;Pwd=«Str0ng!Pass2»;
$ psql 'host=db user=app password=«appsecret1» dbname=x'
$ mysqladmin -u root -p«R00tpw» ping
$ mysql --user=root --password='«R00t pw»'
$ curl -H 'X-Api-Key: «9f8e7d6c5b4a39281706»' http://web1/
$ curl --oauth2-bearer «AbCdEf0123456789xyz» http://web1/
$ curl 'http://web1/?api_key=«0a1b2c3d4e5f60718293»'
$ curl 'http://web1/?access_token=«ZXhhbXBsZS10b2tlbi12YWx1ZQ»'
$ curl -d 'user=joe&password=«hunter2x»' http://web1/login
$ ab -p login.json -T application/json -H "Authorization: Token «9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b»" http://web1/
$ wrk -H 'Cookie: csrftoken=Abc123; «sessionid=k3j4h5g6»' http://web1/
$ hey -a joe:«Passw0rd!» http://web1/
$ wget --http-password=«hunter22» --http-user=joe http://web1/
$ wget --password «hunter23» http://web1/
$ sshpass -p '«S3cure!pw»' ssh web1 uptime
$ sshpass -p«S3cure9» ssh web1
$ ldapsearch -x -D cn=admin -w «adminpw99» -b dc=x
$ smbclient //srv/share -U 'joe%«Secr3tPw»'
$ openssl enc -aes-256-cbc -k «passphr4se» -in x
$ openssl rsa -in key.pem -passin pass:«Op3nS3same»
$ zip -P «zipp4ss» a.zip b
$ redis-cli -h cache -a «r3disP4ss» INFO
REDISCLI_AUTH=«r3disP4ss2» redis-cli INFO
VAULT_TOKEN=«s.abcdefGHIJKLmnop12345678»
//registry.example.org/:_auth=«dXNlcjpwYXNzd29yZA==»
{"auths":{"hub":{"auth":"«am9lOmh1bnRlcjI=»"}}}
MYSQL_ROOT_PASSWORD: «rootpw-2024»
POSTGRES_PASSWORD=«pgpw-2024»
SMTP_PASS=«smtpw-2024»
TWILIO_AUTH_TOKEN=«0123456789abcdef0123456789abcdef»
https://u0123abc:«0123456789abcdef»@o1.ingest.sentry.io/1
joe:«$6$rounds=5000$saltsalt$hashhashhashhashhashhashhash»:19000:0:99999:7:::
        proxy_set_header X-Auth-Token «0a1b2c3d4e5f»;
AuthLDAPBindPassword "«ldap s3cret»"
SSLPassPhrase: «Tr0ub4dor&3»
stats auth admin:«Hapr0xyPw»
  - targets: ['x'] basic_auth: {username: a, password: «prom3theus»}
wpa_psk=«correcthorsebattery»
DJANGO_SECRET_KEY='«django-insecure-8x!@abc»'
APP_KEY=base64:«2fl+Ktvkfl+Fuz4Qp/A75G2RTiWVA/ZoKZvp6fiiM10=»
JWT_SECRET=«my-jwt-s3cret»
identified by '«gr4ntPw»'
CREATE USER app WITH PASSWORD '«cr34tePw»';
net.core x; snmp-server community «pr1vateC» RO
X-Vault-Token: «s.abcdEFGHijkl»
Proxy-Authorization: Digest username="joe", response="«6629fae49393a05397450978507c4ef1»"
$ rabbitmqctl add_user joe «Pw1-secret»
SecRemoteRules «a1b2c3d4e5f6» https://rules.example.org/x
$ htpasswd -nb joe «hunter2x»
$ htpasswd -B -b .htpasswd joe «hunter2x»
$ echo "«dckr3tpw»" | docker login -u joe --password-stdin
$ printf '%s' «tok3nvalue» | gh auth login --with-token
$ echo 'joe:«hunter2x»' | chpasswd
$ kinit joe <<< «hunter2x»
$ kubectl create secret generic db --from-literal=key1=«hunter2x»
{"name": "DB_PASSWORD", "value": "«hunter2x»"}
- {name: DB_PASSWORD, value: «hunter2x»}
<property name="hibernate.connection.password">«hunter2x»</property>
<Connector keystorePass="«changeme1»" />
$ keytool -storepass «changeit1» -list
$ redis-benchmark -a «hunter2x» -n 100
127.0.0.1:6379> AUTH «hunter2x»
127.0.0.1:6379> AUTH default «hunter2x»
$ memtier_benchmark -s h --authenticate=«hunter2x»
$ curl --proxy-user a:«hunter2x» http://h/
$ curl -H "X-Session-Id: «abcdef0123456789»" http://h/
$ http GET http://h/ Authorization:"Bearer «abcdef0123456789»"
$ ssh-keygen -t ed25519 -N '«hunter2x»' -f k
$ 7z x a.7z -p«hunter2x»
$ unzip -P «hunter2x» a.zip
$ snmpwalk -v2c -c «c0mmun1ty» h
$ snmpwalk -v3 -u a -A «authp4ssw» h
$ useradd -p '«$6$salt$hashhashhashhashhash»' joe
$ aws configure set aws_secret_access_key «wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY»
$ git config --global user.password «hunter2x»
$dbpass = "«hunter2x»";
define("SECURE_AUTH_SALT", "«put your unique phrase here xyz»");
https://«abcdef0123456789abcdef0123456789abcdef01»:x-oauth-basic@github.com/x
    authentication { auth_type PASS auth_pass «hunter2x» }
    user joe insecure-password «hunter2x»
AuthBasicFake demo «hunter2x»
SessionCryptoPassphrase «hunter2x»
session.save_path = "tcp://h:6379?auth=«hunter2x»"
pdo_mysql.pass=«hunter2x»
"pgbouncer" "«md5abcdef0123456789abcdef0123456789»"
"app" "«SCRAM-SHA-256$4096:salt$stored:server»"
CREATE USER 'a'@'%' IDENTIFIED WITH mysql_native_password BY '«hunter2x»';
GRANT ALL ON x.* TO 'a'@'%' IDENTIFIED BY PASSWORD '«*0123456789ABCDEF0123456789ABCDEF01234567»';
SET PASSWORD FOR 'a'@'%' = PASSWORD('«hunter2x»');
db.auth("a", "«hunter2x»")
$ etcdctl --user root:«hunter2x» get x
$ wpa_passphrase ssid «hunter2xyz»
PresharedKey = «yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=»
: PSK "«hunter2xyz»"
$ lftp -u a,«hunter2x» h
$ sqlplus scott/«tiger99»@db
GET /x HTTP/1.1 Cookie: sid=«abcdef0123456789»
HTTP_COOKIE=sid=«abcdef0123456789»
  password «hunter2x»
$ curl -H 'Authorization: Bearer «eyJhbGciOiJIUzI1NiJ9».eyJzdWIiOiIxIn0.abcDEFghiJKL' http://x/
wrk.headers["Authorization"] = "Bearer «abcdef0123456789»"
headers: {'Authorization': `Bearer «abcdef0123456789»`}
LTAI«5tQ9ZrKe72PouQMnMXa7»
パスワード: «hunter2x»
TELEGRAM 123456789:«AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1»
login: admin / «hunter2»
Credentials: joe@example.org / «Tr0ub4dor»
Set-Cookie: theme=dark; sid=«k3j4h5g6»; Path=/
define('NONCE_KEY',        '«%a$k]8<x!01234567890123456789012345678901234567890123456789012»');
define('LOGGED_IN_SALT',   '«/b&k"8<x!01234567890123456789012345678901234567890123456789012»');
NONCE_KEY=«hunter2x»
twilio «SK0a1b2c3d4e5f60718293a4b5c6d7e8f9» AC0a1b2c3d4e5f60718293a4b5c6d7e8f9
"""

# Made: URLs and DSNs, the secret between « and »; the rest stays.
URLS = """\
postgres://bob:«GE2/sNV»@db/x
"amqp://bob:«/GE2/s/NV»@rabbit:5672/%2F"
postgres://bob:«%2FGE2»@db/x
https://bob:«abcdef@x6uX9M»@example.com/
https://bob:«abcdef»@example.com/users/@joe
https://joe@example.org:«hunter2x»@example.com/
http://bob:«hunter2x»@[::1]:8080/x
root:«hunter2x»@tcp(127.0.0.1:3306)/shop
dsn=root:«hun/ter@2x»@unix(/run/mysqld.sock)/shop
git clone https://«0a1b2c3dTOKEN»@github.com/a/b
curl -G http://web1/ -d next=http%3A%2F%2Fbob%3A«pW7x»%40h%2Fa%40b
next=http%3a//bob%3a«pW%252F7x»%40h
"""


@pytest.mark.parametrize("marked", USUAL.splitlines())
def test_usual_secrets_are_found(marked):
    line, secret = marked.replace("«", "").replace("»", ""), re.search("«(.*)»", marked)[1]
    assert secret not in redact_secrets(line)


@pytest.mark.parametrize("marked", URLS.splitlines())
def test_passwords_in_urls_go_and_hosts_stay(marked):
    line = marked.replace("«", "").replace("»", "")
    redacted = redact_secrets(line)
    assert redacted == re.sub("«.*»", "[redacted]", marked) == redact_secrets(redacted)


@pytest.mark.parametrize(
    "line",
    [
        "git clone git@github.com:a/b.git",
        "git clone https://deploybot@github.com/a/b",
        "scp joe@web1:/srv/x . && mail joe@example.org",
        "root@web1:/srv# ab -n 10 http://web1:80/img@2x.png",
        "ssh://git@web1:22/path",
        "ssh://administrator2024@web1:22/path@x",
        "host:80@",
        "siege -c 10 http://[::1]:8080/a@b",
        "http://localhost:PORT/a@b",
        "mongodb://db1:27017,db2:27017/x?user=joe@example.org",
        "app.js:12: http://web1:80/img@2x.png:12",
        "curl 'http://web1/?next=http%3A%2F%2Fweb1%3A80%2Fa%40b'",
        "%s:%s@tcp(%s)",
        "postgres://bob:$PW/x@db/x",
        "http://web1:%d@x",
        "task SKU 0123, disk SKa1",
    ],
)
def test_what_only_looks_like_a_password_in_a_url_stays(line):
    assert redact_secrets(line) == line


@pytest.mark.parametrize("line", ["$ expect -c 'send Pw1'", "[mail]:587 joe:Pw1", "db:5432:app:user:Pw1"])
def test_a_secret_that_only_a_program_knows_is_not_found(line):
    """What docs/scale.md says of it: look at the text yourself."""
    assert redact_secrets(line) == line


@pytest.mark.parametrize(
    "line",
    ["Authorization: Bearer $TOKEN", "api_key: YOUR_API_KEY", "authorization = basic"],
)
def test_what_stands_for_a_secret_stays(line):
    assert redact_secrets(line) == line


def test_captures_and_real_posts_hold_no_secret(shared):
    files = [file for file in shared.rglob("*") if file.suffix in (".txt", ".out", ".md", ".html")]
    texts = [file.read_text(errors="replace").split("\n") for file in files]
    assert len(texts) > 20
    assert sum(len({secret.key for secret in find_secrets(lines)}) for lines in texts) <= 2


SECRET = 'Sup3r/S"cret&1'
COPIES = {
    "capitals": SECRET.upper(),
    "in a URL": quote(SECRET, ""),
    "in a URL with small letters": quote(SECRET, "").lower(),
    "in JSON": json.dumps(SECRET)[1:-1],
    "in JSON of a page": 'Sup3r/S\\"cret\\u00261',
    "in HTML": "Sup3r/S&quot;cret&amp;1",
    "in a shell's line": 'Sup3r\\/S\\"cret\\&1',
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_every_way_to_write_a_secret_goes(copy):
    assert mask_words(f"a {copy} b", [SECRET]) == "a [redacted] b"


@pytest.mark.parametrize("before", ["", "j", "jo", "joe:"])
@pytest.mark.parametrize("after", ["", "x", "xy"])
def test_base64_that_holds_a_secret_goes(before, after):
    encoded = b64encode(f"{before}{SECRET}{after}".encode()).decode()
    left = mask_words(f"Basic {encoded} b", [SECRET]).removeprefix("Basic ").removesuffix(" b")
    assert "[redacted]" in left and len(left) <= len("[redacted]") + 2 * len(before + after) + 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\\\n    ", "\n> "])
def test_a_secret_over_the_end_of_a_line_goes_and_the_lines_stay(end):
    assert mask_words(f"a {SECRET[:6]}{end}{SECRET[6:]} b", [SECRET]) == f"a [redacted]{end}[redacted] b"


@pytest.mark.parametrize("kind", KNOWN_BY_THEMSELVES, ids=lambda kind: kind.pattern.pattern[:30])
def test_a_text_made_of_a_pattern_is_searched_in_linear_time(kind):
    def look(text: str) -> list[object]:
        return [*kind.pattern.finditer(text)]

    attacks = make_attacks(kind.pattern.pattern, kind.pattern.flags)
    assert [attack for attack in attacks if is_slow(look, *attack)] == []


def _measure_cpu_s(work: Callable[[], object]) -> float:
    """The least of three."""
    taken = []
    for _ in range(3):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


@pytest.mark.parametrize("write", [str, str.upper, quote_plus, lambda word: b64encode(word.encode()).decode()])
def test_copies_of_a_very_long_secret_go_whole_and_soon(write):
    """Made: its pattern of every character took 2 s, and each of 30 secrets has one."""
    chance = random.Random(1)  # noqa: S311
    secret = "".join(chance.choice("abcXYZ019+/=é") for _ in range(9_000))

    def mask(word: str) -> str:
        secret_copies._match_copies.cache_clear()
        return mask_words(f"a {write(word)} b", [word])

    assert mask(secret) == "a [redacted] b"
    assert _measure_cpu_s(lambda: mask(secret)) < 4 * _measure_cpu_s(lambda: mask(secret[:4_500]))


def test_short_words_are_not_found_over_the_end_of_a_line():
    assert mask_words("Cpu\nload", ["puload"]) == "Cpu\nload"


def test_a_token_of_this_site_is_known(django_user_model, db):
    _, token = make_token(user=django_user_model.objects.create(username="joe"), name="ci")
    assert redact_secrets(f"sent {token} along") == "sent [redacted] along"


@pytest.mark.parametrize(
    "text",
    [
        "AuthType Basic",
        "AuthUserFile /etc/httpd/passwd",
        "SSLCertificateKeyFile /etc/ssl/private/web1.key",
        "password_file = /etc/mosquitto/pw",
        "ServerTokens Prod",
        "password = $DB_PASSWORD",
        "password: ${SECRET}",
        "PasswordAuthentication no",
        "KeepAlive On",
        "Keep-Alive requests:    1000",
        "apache   24505  0.0  0.8  12908  6408 ?        S    15:10   0:00 /usr/sbin/httpd -C x -k start",
        'ab -n 10000 -c 100  "http://localhost/hello/"',
        "Benchmarking localhost:8080 (be patient)",
        "http://localhost:8080/a@b",
        "tar -C /srv -p x",
        "Cookie: [redacted]",
        "mysqld --port=3306",
        "if (token == other) {",
        "std::token::kind",
        "proxy_pass http://backend;",
        "fastcgi_pass unix:/run/php.sock;",
        "ssl_password_file /etc/ssl/pass",
        "password_encryption = on",
        "Password hashing",
        "The basic PostgreSQL settings",
        "pass 1: 500 req/s",
        "TEST_PASS=1",
        "npm_config_cache=/x",
        "pgbench -p 5432",
        "tls_session_cache shared:SSL:10m",
        "GET /?session_id=5",
        "bypass: yes, compass: north, Test pass: ok",
        "$ echo 3 | sudo tee /proc/sys/vm/drop_caches",
        "$ snmpwalk -h",
        "X-Cache-Key: /index.html",
        "name: tokenizer value: 5",
        "the password was changed",
        "$ ulimit -n 65535 && 7z b -mmt4",
        "<token> 12 </token>",
        'starting with Redis 6 "requirepass" is a layer, and TLS-PSK is possible with PSK ciphers',
        "redis 127.0.0.1:6379> INFO stats",
        "deploy-7f9c6d5b8-abcde_default_0123456789abcdef",
        "sessions: 12, x-request-id: 0123456789abcdef",
        "passwd:         files systemd",
        "Set-Cookie: theme=dark",
        "Set-Cookie: lang=en; Path=/; Max-Age=31536000; SameSite=Lax",
        "Set password: done",
        "login: 1200 / 1500 req/s",
        "login: nginx / apache",
        "login: GET / HTTP/1.1",
        "login: p50 / 12.5ms",
        "00000000:AAAA:0016 12345678:aabbccdd",
        "pass: 1234567.25ms",
        "pass = 12/12",
        "first pass: 2024-03-01, pass: true",
        "pw: 12.5MB/s",
        "GET /?key=user:1234 HTTP/1.1",
        '-H "Cache-Key: page12345678901234567"',
        "auth(user, pool), ?jwt=no, jwt: 9000 req/s",
    ],
)
def test_it_leaves_what_only_looks_like_a_secret(text):
    assert redact_secrets(text) == text


def test_a_private_key_is_one_secret_over_its_lines():
    text = "cat web1.key\n-----BEGIN RSA PRIVATE KEY-----\nMIIEabc+/\nZZZZ==\n-----END RSA PRIVATE KEY-----\ndone"
    assert {secret.key for secret in find_secrets(text.split("\n"))} == {"s1"}
    assert (
        "MIIE" not in redact_secrets(text)
        and "ZZZZ" not in redact_secrets(text)
        and redact_secrets(text).endswith("\ndone")
    )


def test_a_private_key_cut_off_does_not_swallow_what_follows():
    text = "-----BEGIN PRIVATE KEY-----\nMIIEabc\nRequests per second:    617.01 [#/sec] (mean)\nabc"
    assert redact_secrets(text).split("\n")[1:] == [
        "[redacted]",
        "Requests per second:    617.01 [#/sec] (mean)",
        "abc",
    ]


PLAIN = ["Cookie: ", "password", "=", ": ", '"', " ", "hunter2", "'", "://", "joe:", "@", "-p", "mysql ", "ab ", "-C "]
WORDS = st.sampled_from([*PLAIN, "-p", "a=b", BEGIN, "MIIE", "\n", END, "token", "=> ", "[redacted]", ";"])
PIECES = [
    "user on >",
    "login x ",
    "SetEnv ",
    "basic AAAA",
    "sess",
    "docker login ",
    "a_password ",
    "ab ",
    "password",
    "password='",
    "Cookie: ",
    " ",
    "header ",
    "-a",
    "://a:",
    "eyJ",
    "mysql -p",
    "a-",
]


def test_a_value_below_the_name_of_a_secret_goes():
    """As in the variables of a pod."""
    lines = [
        "- name: DB_PASSWORD",
        '  value: "hunter2x"',
        "- name: PORT",
        "  value: 5432",
        "- name: TOKEN",
        "  value: $X",
    ]
    assert redact_secrets("\n".join(lines)) == "\n".join(lines).replace("hunter2x", "[redacted]")
    search = SecretSearch()
    assert [search.search("- name: DB_PASSWORD\n"), search.search("  value: x\n", 2)[0].line] == [[], 2]


@pytest.mark.parametrize(
    "above", [["kind: Secret", "data:", "  a: x"], ["kind: Secret"], ["data:", "  a: x", "kind: Secret"]]
)
def test_a_secret_of_kubernetes_goes_on_in_the_next_piece(above):
    search, n = SecretSearch(), len(above)
    search.search("\n".join(above) + "\n")
    below = ["data:"] * (above != ["kind: Secret", "data:", "  a: x"]) + [
        "  b: hunter2x",
        "---",
        "data:",
        "  c: hunter3x",
    ]
    (found,) = search.search("\n".join(below), n + 1)
    assert (found.line, found.start) == (n + below.index("  b: hunter2x") + 1, 5)
    assert search.search("  d: hunter4x\n", n + 9) == []


def test_only_the_named_secrets_go():
    lines = ["Cookie: a=b", "password: hunter2", "Cookie: a=b"]
    secrets = find_secrets(lines)
    assert [secret.key for secret in secrets] == ["s1", "s2", "s1"]
    named = [secret for secret in secrets if secret.key == "s1"]
    assert redact.mask_secrets("\n".join(lines), named) == "Cookie: [redacted]\npassword: hunter2\nCookie: [redacted]"


@given(st.lists(WORDS, max_size=12).map("".join), st.integers(0, 12))
def test_a_text_in_pieces_has_the_secrets_of_the_whole(text, cut):
    lines = text.split("\n")
    search, cut = SecretSearch(), min(cut, len(lines) - 1)
    first = search.search("\n".join(lines[:cut]) + "\n") if cut else []
    assert first + search.search("\n".join(lines[cut:]), cut + 1) == find_secrets(lines)


def test_so_many_secrets_share_a_name_that_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(redact, "MAX_KEYS", 2)
    keys = [secret.key for secret in find_secrets([f"password: hunter{n}" for n in (1, 2, 3, 4, 1)])]
    assert keys == ["s1", "s2", "s3", "s3", "s1"]


@given(st.lists(WORDS, max_size=12).map("".join))
@example("-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----\npassword")
@example("-----BEGIN PRIVATE KEY-----: -----END PRIVATE KEY-----\npassword")
def test_masking_again_changes_nothing(text):
    assert redact_secrets(redact_secrets(text)) == redact_secrets(text)


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_line_does_not_hang_it(piece):
    line = "Cookie: auth " + piece * (2_000_000 // len(piece)) + "x"
    began = time.process_time()
    find_secrets([line])
    assert time.process_time() - began < 20  # a pattern that goes back and forth would take hours


@pytest.mark.parametrize(
    "line",
    ["identified by{}x", "pscale_{}", "a:1:b:c:d{} pgpass", "data:{}x\nkind: Secret", "login: a{}/ b1"],
    ids=lambda line: line[:8],
)
@pytest.mark.parametrize(
    "piece",
    ["\t", "AA_", ">", " ", 'name="A-pw">1,', ".:*:.:,:1'>", "://a:b/@", "a:a@tcp", "%3a//%3a%40", "define("],
    ids=repr,
)
def test_a_line_of_ten_thousand_characters_is_searched_soon(line, piece):
    """Made of the patterns' own pieces: up to 60 s a MB."""
    lines = line.format(piece * (9_900 // len(piece))).split("\n")
    assert _measure_cpu_s(lambda: find_secrets(lines)) < 0.05


ROW = "  2903 {}  20   0  1.2g  3500   1664 S   6.5   0.1   0:00.06 {}"


@given(
    st.sampled_from(["www-data", "ab", "mysql", "keyring", "_header", "-p", "x"]),
    st.lists(WORDS, max_size=8).map("".join),
)
def test_a_row_of_top_has_the_secrets_that_it_would_have_as_any_line(user, command):
    lines = [ROW.format(user, line) for line in command.split("\n")]
    with pytest.MonkeyPatch.context() as patch:
        rows_as_lines = (*redact.compile_programs()[:2], re.compile("(?!)"))
        patch.setattr(redact, "compile_programs", lambda: rows_as_lines)
        expected = find_secrets(lines * 2)
    assert find_secrets(lines * 2) == expected


def test_a_command_that_repeats_on_every_screen_is_looked_at_once(monkeypatch):
    looked: list[str] = []
    monkeypatch.setattr(redact, "_harmless", set())
    monkeypatch.setattr(redact, "_search_line", lambda line, kinds: looked.append(line) or [])
    find_secrets(
        [ROW.format("www-data", "/usr/sbin/mysqld --port=3306").replace("2903", str(n)) for n in range(1000, 1100)]
    )
    assert len(looked) == 1


HERE = "hunter2secret"
PLACES = {
    "several flags in one word": (f"curl -sujoe:{HERE} http://x/", "curl -suX http://x/", f"joe:{HERE}"),
    "a parameter of an address": (f"ab 'http://x/?token={HERE}&page=2'", "ab 'http://x/?token=X&page=2'", HERE),
    "JSON in JSON": (rf'"env": "{{\"password\":\"{HERE}\"}}"', r'"env": "{\"password\":\"X\"}"', HERE),
    "a header that Apache sets": ('RequestHeader set Cookie "sid=abc"', 'RequestHeader set Cookie "X"', "sid=abc"),
    "nginx's signed links": (f'secure_link_md5 "$uri {HERE}";', 'secure_link_md5 "$uri X";', HERE),
    "prose": (f"the password is {HERE} now", "the password is X now", HERE),
    "another language": (f"Passwort: {HERE}, mot de passe : {HERE}", "Passwort: X, mot de passe : X", HERE),
    "a question": (f"[sudo] password for joe: {HERE}", "[sudo] password for joe: X", HERE),
    "a row of PostgreSQL's": (f"a\ndb.lan:5432:*:joe:{HERE}\n", "a\ndb.lan:5432:*:joe:X\n", HERE),
    "the same with its file": (f"$ cat ~/.pgpass\ndb:5432:a:joe:{HERE}\n", "$ cat ~/.pgpass\nX\n", f"db:5432:a:joe:{HERE}"),
    "a setting of several lines": (f"password: |\n  {HERE}\nname: web\n", "password: |\n  X\nname: web\n", HERE),
    "PuTTY's key": ("Private-Lines: 1\nAAAAIHh5e\nPrivate-MAC: 0a\n", "Private-Lines: 1\nX\nPrivate-MAC: 0a\n", "AAAAIHh5e"),
    "what Ansible has encrypted": ("$ANSIBLE_VAULT;1.1;AES256\n 6231\nend", "$ANSIBLE_VAULT;1.1;AES256\n X\nend", "6231"),
    "a secret of Kubernetes": (
        f"data:\n  signing: {HERE}\nkind: Secret\nmetadata:\n  name: web\n\nkind: ConfigMap\ndata:\n  workers: 8\n",
        "data:\n  signing: X\nkind: Secret\nmetadata:\n  name: web\n\nkind: ConfigMap\ndata:\n  workers: 8\n",
        HERE,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "clean", "secret"), PLACES.values(), ids=PLACES)
def test_secrets_are_found_in_places_where_people_paste_them(text, clean, secret):
    assert redact_secrets(text) == clean.replace("X", "[redacted]")
    assert {text.split("\n")[one.line - 1][one.start : one.end] for one in find_secrets(text.split("\n"))} == {secret}


@pytest.mark.parametrize(
    "line",
    [
        "$ mysql -u root -p shop",
        "10.0.0.1:5432:up:ok:200",
        "tcp 0 0 10.0.0.1:5432 10.0.0.2:40000 ESTABLISHED",
        "token for web1: none",
        "passwords are stored as scram-sha-256",
        "summary: |\n  eight workers\n",
        "kind: Service\nspec:\n  port: 80\n",
    ],
)
def test_what_only_looks_like_those_places_stays(line):
    assert redact_secrets(line) == line


def test_a_line_that_looks_suspicious_without_its_digits_alone_is_not_searched():
    """A log of such lines took 0.6 s a MB."""
    lines = ["line 1 of 2", "user joe on 12 > 3"]
    assert redact._find_suspicious_lines("\n".join(lines)) == [1] and redact._choose(lines[1]) is None


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.pattern.pattern[:30])
def test_each_kind_names_words_without_which_its_pattern_fits_nothing(kind):
    """A line without them is not tried against the pattern."""
    lines = {
        line
        for text in (USUAL, URLS, *(place[0] for place in PLACES.values()))
        for line in text.replace("«", "").replace("»", "").splitlines()
    }
    fitting = [line for line in lines if redact._fits(kind, line, redact._fold(line))]
    assert [line for line in fitting if kind not in redact._choose(line).kinds] == []


def test_patterns_are_spelt_as_the_text_is_that_they_are_for():
    """Those that do not count letter case are for small letters."""
    spelt = {kind: re.sub(r"\\[A-Z]|\(\?P[<=]", "", kind.pattern.pattern) for kind in KINDS if not kind.exact}
    assert [kind for kind, pattern in spelt.items() if pattern != pattern.lower()] == []


def test_a_secret_in_the_colours_of_grep_goes():
    grep = "\x1b[01;31m\x1b[Kpassword\x1b[m\x1b[K = {} # \x1b[1mworkers = 8\x1b[0m"
    assert redact_secrets(grep.format("\x1b[1mhunter2x\x1b[0m")) == grep.format("\x1b[1m[redacted]\x1b[0m")
    assert redact_secrets("\x1b[1mworkers\x1b[0m: 8 tokens") == "\x1b[1mworkers\x1b[0m: 8 tokens"


def test_a_capital_whose_small_letter_is_two_characters_moves_no_secret():
    assert redact_secrets("\u0130\u0130 DB_PASSWORD=hunter2") == "\u0130\u0130 DB_PASSWORD=[redacted]"


@pytest.mark.parametrize(
    "line", ["kind: Secret", 'secure_link_md5 "$uri x{}a";', "$ANSIBLE_VAULT;1.1;AES256", "DB_PASSWORD=hunter{}"]
)
def test_a_line_is_tried_against_few_patterns(line):
    """Each of them was tried against 55, which took up to 4 s a MB."""
    assert len(redact._choose(line).kinds) <= 12
