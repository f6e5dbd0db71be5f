// A program that exchanges a token for one with which it acts for the user of that (RFC 8693), and prints what it got.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/url"
	"os"

	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	config := clientcredentials.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL:     os.Getenv("TOKEN_URL"),
		EndpointParams: url.Values{
			"grant_type":         {"urn:ietf:params:oauth:grant-type:token-exchange"},
			"subject_token":      {os.Getenv("SUBJECT_TOKEN")},
			"subject_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
			"resource":           {os.Getenv("RESOURCE")},
		},
	}
	token, err := config.Token(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"access_token":      token.AccessToken,
		"issued_token_type": token.Extra("issued_token_type"),
		"scope":             token.Extra("scope"),
	})
}
