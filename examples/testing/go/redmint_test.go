package orders

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"testing"
)

// The server that all tests are run against. It is in memory, and ends with them.
var redmint struct{ Issuer, Control, Token string }

func TestMain(m *testing.M) {
	os.Exit(withRedmint(m))
}

func withRedmint(m *testing.M) int {
	command := exec.Command("npx", "--yes", "redmint", "dev", "--json", "--port", "0")
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		command.Process.Signal(os.Interrupt)
		command.Wait()
	}()
	if err := json.NewDecoder(output).Decode(&redmint); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// token returns an access token, without a page or a browser.
func token(t *testing.T, wanted map[string]string) string {
	t.Helper()
	body, _ := json.Marshal(wanted)
	request, _ := http.NewRequest("POST", redmint.Control+"tokens", bytes.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+redmint.Token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var tokens struct {
		AccessToken string `json:"access_token"`
		Problem     string `json:"error_description"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&tokens); err != nil || tokens.AccessToken == "" {
		t.Fatal(err, tokens.Problem)
	}
	return tokens.AccessToken
}
