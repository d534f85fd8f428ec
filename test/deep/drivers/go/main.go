// The initial requests of a program with the Go driver, over HTTP/2 without TLS and over HTTP/1.1: `go run . <url>`.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/arangodb/go-driver/v2/arangodb"
	"github.com/arangodb/go-driver/v2/arangodb/shared"
	"github.com/arangodb/go-driver/v2/connection"
)

func check(ok bool, what string, err error) {
	if !ok || err != nil {
		fmt.Println(what, err)
		os.Exit(1)
	}
}

func try(conn connection.Connection) {
	ctx := context.Background()
	client := arangodb.NewClient(conn)
	version, err := client.Version(ctx)
	check(string(version.Version) == "3.12.5", "version", err)
	details, err := client.VersionWithOptions(ctx, &arangodb.GetVersionOptions{Details: pointer(true)})
	check(details.Details["mode"] == "server", "details", err)
	databases, err := client.AccessibleDatabases(ctx)
	check(len(databases) == 1, "databases", err)
	db, err := client.GetDatabase(ctx, "shop", nil)
	check(err == nil, "database", err)
	info, err := db.Info(ctx)
	check(info.Name == "shop", "info", err)
	collections, err := db.Collections(ctx)
	check(len(collections) == 0, "collections", err)
	_, err = db.GetCollection(ctx, "orders", nil)
	check(shared.IsNotFound(err), "a collection that is not there", nil)
}

func pointer[T any](value T) *T { return &value }

func main() {
	endpoints := connection.NewRoundRobinEndpoints([]string{os.Args[1]})
	overHTTP2 := connection.NewHttp2Connection(connection.DefaultHTTP2ConfigurationWrapper(endpoints, true))
	overHTTP1 := connection.NewHttpConnection(connection.DefaultHTTPConfigurationWrapper(endpoints, true))
	for _, conn := range []connection.Connection{overHTTP2, overHTTP1} {
		check(true, "authentication", conn.SetAuthentication(connection.NewBasicAuth("alice", "pw")))
		try(conn)
		wrapped := connection.NewJWTAuthWrapper("alice", "pw")(conn)
		try(wrapped)
		// A revoked token is replaced by a login after the 401.
		_, err := connection.CallPost(context.Background(), wrapped, "/_db/shop/revoke", nil, nil)
		check(true, "revoke", err)
		try(wrapped)
	}
	fmt.Println("go-driver: ok")
}
