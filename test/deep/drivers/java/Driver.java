import com.arangodb.ArangoDB;
import com.arangodb.ArangoDBException;
import com.arangodb.ArangoDatabase;
import com.arangodb.Protocol;
import java.net.URI;
import java.util.List;

/** The initial requests of a program with the Java driver, over HTTP/2 without TLS and over HTTP/1.1. Argument: the URL. */
class Driver {
  static void check(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  static void refused(int status, String saying, Runnable call) {
    try {
      call.run();
    } catch (ArangoDBException refusal) {
      check(Integer.valueOf(status).equals(refusal.getResponseCode()), refusal.toString());
      check(refusal.getErrorMessage().contains(saying), refusal.toString());
      return;
    }
    throw new AssertionError("not refused with " + status);
  }

  static ArangoDB connect(URI url, Protocol protocol, String password) {
    return new ArangoDB.Builder()
        .host(url.getHost(), url.getPort())
        .user("alice")
        .password(password)
        .protocol(protocol)
        .build();
  }

  static void run(URI url) {
    for (Protocol protocol : List.of(Protocol.HTTP2_JSON, Protocol.HTTP_JSON)) {
      ArangoDB arango = connect(url, protocol, "pw");
      check(arango.getVersion().getVersion().equals("3.12.5"), "version");
      check(arango.getAccessibleDatabases().equals(List.of("_system")), "databases");
      ArangoDatabase db = arango.db("shop");
      check(db.getInfo().getName().equals("shop"), "info");
      check(db.getCollections().isEmpty(), "collections");
      refused(404, "this is a mock", () -> db.collection("orders").count());
      arango.shutdown();

      ArangoDB stranger = connect(url, protocol, "wrong");
      refused(401, "", stranger::getVersion);
      stranger.shutdown();
    }
  }

  public static void main(String[] args) {
    try {
      run(URI.create(args[0]));
    } catch (Throwable failure) {
      failure.printStackTrace();
      // The threads of a driver that was not shut down would keep the program alive.
      System.exit(1);
    }
    System.out.println("java-driver: ok");
  }
}
