package main

import (
    "context"
    "encoding/json"
    "fmt"
    "net/http"
    "net/url"
    "os"
    "strings"
    "time"
)

var exchanger = &http.Client{Timeout: 5 * time.Second}

// tokenFor gets a token with which this API acts at another one, for the user of the token that it was called with
// (RFC 8693). Ask anew for each request: it ends with that token.
func tokenFor(ctx context.Context, resource, sent string) (string, error) {
    form := url.Values{
        "grant_type":         {"urn:ietf:params:oauth:grant-type:token-exchange"},
        "resource":           {resource},
        "subject_token":      {sent},
        "subject_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
    }
    address := os.Getenv("ISSUER") + "{{path.token}}"
    request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
    if err != nil {
        return "", err
    }
    request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
    request.SetBasicAuth(os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET"))
    answer, err := exchanger.Do(request)
    if err != nil {
        return "", err
    }
    defer answer.Body.Close()
    var got struct {
        AccessToken string `json:"access_token"`
        Error       string `json:"error"`
        Why         string `json:"error_description"`
    }
    if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
        return "", err
    }
    if answer.StatusCode != http.StatusOK {
        return "", fmt.Errorf("no token for %s: %s: %s", resource, got.Error, got.Why)
    }
    return got.AccessToken, nil
}
