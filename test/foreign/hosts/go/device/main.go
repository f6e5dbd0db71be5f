// Signs in on a device without a browser, and prints the claims of its user.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	must(err)
	id := os.Getenv("CLIENT_ID")
	config := &oauth2.Config{ClientID: id, Endpoint: provider.Endpoint(), Scopes: []string{"openid", "profile", "offline_access"}}
	device, err := config.DeviceAuth(ctx)
	must(err)
	fmt.Println(device.VerificationURIComplete)
	token, err := config.DeviceAccessToken(ctx, device)
	must(err)
	raw, _ := token.Extra("id_token").(string)
	verified, err := provider.Verifier(&oidc.Config{ClientID: id}).Verify(ctx, raw)
	must(err)
	claims := map[string]any{}
	must(verified.Claims(&claims))
	stale := *token
	stale.Expiry = time.Now().Add(-time.Hour)
	next, err := config.TokenSource(ctx, &stale).Token()
	must(err)
	claims["refreshed"] = next.AccessToken != token.AccessToken
	must(json.NewEncoder(os.Stdout).Encode(claims))
}
