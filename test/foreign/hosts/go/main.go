package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"time"

	"golang.org/x/oauth2"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Counts the answers that are errors: after one, x/oauth2 tries another way to authenticate.
type counting struct{ refused int }

func (c *counting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil && response.StatusCode >= 400 {
		c.refused++
	}
	return response, err
}

// One user at a time: the verifier is not in a session.
func main() {
	count := &counting{}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: count})
	config, tokens, err := Connect(ctx)
	must(err)
	verifier := oauth2.GenerateVerifier()
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		http.Redirect(response, request, Start(config, "state", "nonce", verifier), http.StatusFound)
	})
	http.HandleFunc("/callback", func(response http.ResponseWriter, request *http.Request) {
		token, err := Finish(ctx, config, request.URL.Query().Get("code"), verifier)
		must(err)
		raw, _ := token.Extra("id_token").(string)
		id, err := tokens.Verify(ctx, raw)
		must(err)
		claims := map[string]any{}
		must(id.Claims(&claims))
		stale := *token
		stale.Expiry = time.Now().Add(-time.Hour)
		next, err := config.TokenSource(ctx, &stale).Token()
		must(err)
		claims["refused"] = count.refused
		claims["refreshed"] = next.AccessToken != token.AccessToken
		must(json.NewEncoder(response).Encode(claims))
	})
	must(http.ListenAndServe(os.Getenv("ADDRESS"), nil))
}
