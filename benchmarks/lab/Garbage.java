import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/** A server that keeps so many MB of small objects, and makes so many KB of garbage for each request. */
class Garbage {
    static volatile byte[][] kept;
    static volatile byte[] last;

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]), mb = Integer.parseInt(args[1]), kb = Integer.parseInt(args[2]);
        kept = new byte[mb << 13][];
        for (int i = 0; i < kept.length; i++) kept[i] = new byte[104];
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 511);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext("/", exchange -> {
            for (int i = 0; i < kb; i++) last = new byte[1008];
            byte[] body = new byte[1000];
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }
}
