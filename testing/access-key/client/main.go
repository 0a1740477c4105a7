// Command client logs in with an access key as Cloudpods' command line does: same settings, same
// signature, same body. Its own module is not published where this repository can fetch it, so the
// signature comes from the published library that its signing code descends from.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/pkg/s3signer"
)

const (
	algorithm    = "AWS4-HMAC-SHA256"
	location     = "cn-beijing"
	compactTime  = "20060102T150405Z"
	microseconds = "2006-01-02T15:04:05.000000Z"
)

// document is an object whose keys come out sorted, as Cloudpods writes them.
type document map[string]any

func main() {
	log.SetFlags(0)
	target := os.Getenv("OS_AUTH_URL") + "/auth/tokens"
	signed, err := sign(target, os.Getenv("OS_ACCESS_KEY"), os.Getenv("OS_SECRET_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	if err := login(target, signed); err != nil {
		log.Fatal(err)
	}
}

// sign makes the credential. What gets signed is not the request that is sent later but one like it,
// with an unsigned credential in its body.
func sign(target, accessKey, secret string) (document, error) {
	seed := body(document{"access_key": accessKey, "algorithm": algorithm, "location": location})
	request, err := http.NewRequest(http.MethodPost, target, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-Amz-Content-Sha256", hash(seed))
	request.Header.Set("Date", time.Now().UTC().Format(time.RFC1123))
	request = s3signer.SignV4(*request, accessKey, secret, "", location)

	date, err := time.Parse(compactTime, request.Header.Get("X-Amz-Date"))
	if err != nil {
		return nil, err
	}
	signedHeaders, signature := readAuthorization(request.Header.Get("Authorization"))
	return document{
		"access_key":     accessKey,
		"algorithm":      algorithm,
		"location":       location,
		"request":        stringToSign(request, date, signedHeaders),
		"sign_date":      date.Format(microseconds),
		"signature":      signature,
		"signed_headers": signedHeaders,
	}, nil
}

// readAuthorization takes apart what the library put together, since it returns nothing else.
func readAuthorization(header string) (signedHeaders []string, signature string) {
	for _, part := range strings.Split(header, ", ") {
		if list, found := strings.CutPrefix(part, "SignedHeaders="); found {
			signedHeaders = strings.Split(list, ";")
		}
		if text, found := strings.CutPrefix(part, "Signature="); found {
			signature = text
		}
	}
	return signedHeaders, signature
}

// stringToSign repeats what the library signed and does not tell.
func stringToSign(request *http.Request, date time.Time, signedHeaders []string) string {
	var headers strings.Builder
	for _, name := range signedHeaders {
		value := request.Header.Get(name)
		if name == "host" {
			value = request.URL.Host
		}
		headers.WriteString(name + ":" + value + "\n")
	}
	canonical := strings.Join([]string{
		request.Method,
		request.URL.Path,
		request.URL.RawQuery,
		headers.String(),
		strings.Join(signedHeaders, ";"),
		request.Header.Get("X-Amz-Content-Sha256"),
	}, "\n")
	scope := date.Format("20060102") + "/" + location + "/s3/aws4_request"
	return strings.Join([]string{algorithm, date.Format(compactTime), scope, hash([]byte(canonical))}, "\n")
}

func login(target string, signed document) error {
	answer, err := http.Post(target, "application/json", bytes.NewReader(body(signed)))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	var content struct {
		Token struct {
			AccessKey json.RawMessage `json:"access_key"`
		} `json:"token"`
	}
	if err := json.Unmarshal(text, &content); err != nil {
		return err
	}
	fmt.Println(encode(document{
		"status":            answer.StatusCode,
		"has_subject_token": answer.Header.Get("X-Subject-Token") != "",
		"access_key":        content.Token.AccessKey,
	}))
	return nil
}

func body(credential document) []byte {
	return []byte(encode(document{"auth": document{
		"context": document{"source": "cli"},
		"identity": document{
			"access_key_secret": encode(credential),
			"methods":           []string{"aksk"},
		},
	}}))
}

func encode(value document) string {
	text, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	return string(text)
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
