// Receives webhooks of the Storage Routing Service (docs/guides/webhooks.md). Go 1.22 or newer, no dependency.
//
//	WEBHOOK_SECRET=whsec_… PORT=3000 go run receiver.go
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const tolerance, largestBody = 5 * time.Minute, 64 * 1024

// Yours: a table with a unique key, kept for four days. Repeats of an event have its id.
var seen = map[string]bool{}
var lock sync.Mutex

// Yours: store it, and work on it later. An answer that takes over 15 s counts as a failure.
func store(kind string, data json.RawMessage) { fmt.Println(kind, string(data)) }

// Whether the signature fits the bytes as they arrived, and is of the last five minutes.
func isGenuine(key []byte, header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// Several, separated by spaces, while the secret is being rotated.
	for _, one := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(one), []byte(expected)) {
			return true
		}
	}
	return false
}

func receive(key []byte, r *http.Request) int {
	var event struct {
		Type string
		Data json.RawMessage
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, largestBody))
	if err != nil || !isGenuine(key, r.Header, body) || json.Unmarshal(body, &event) != nil {
		return http.StatusBadRequest
	}
	lock.Lock()
	defer lock.Unlock()
	if id := r.Header.Get("webhook-id"); !seen[id] {
		store(event.Type, event.Data)
		seen[id] = true
	}
	return http.StatusNoContent
}

func main() {
	encoded, isSecret := strings.CutPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !isSecret || err != nil {
		log.Fatal("WEBHOOK_SECRET must be whsec_…")
	}
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(receive(key, r)) })
	// Only from this machine: a proxy in front, or a tunnel, has the certificate.
	log.Fatal(http.ListenAndServe("127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "3000"), nil))
}
