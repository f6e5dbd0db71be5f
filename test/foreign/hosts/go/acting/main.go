// Prints the token with which the API acts at another one.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
)

func main() {
	token, err := tokenFor(context.Background(), os.Getenv("OTHER_API"), os.Getenv("TOKEN"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(token)
}
