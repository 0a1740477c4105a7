// The simulator of govmomi, VMware's own library, as vcsim runs it. The module of the command
// vcsim is not on every module proxy; the library that it consists of is.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	// Adds the REST API with tags.
	_ "github.com/vmware/govmomi/vapi/simulator"
)

func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// newCertificate returns a certificate of 127.0.0.1 that signs itself.
func newCertificate() tls.Certificate {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(time.Now().UnixNano()),
		Subject:               pkix.Name{CommonName: "vcsim"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().AddDate(1, 0, 0),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:              []string{"localhost"},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	der := must(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// addCopies adds copies of a virtual machine to its folder. To create as many by tasks takes the
// simulator minutes.
func addCopies(registry *simulator.Registry, count int) {
	if count == 0 {
		return
	}
	source := registry.Any("VirtualMachine").(*simulator.VirtualMachine)
	folder := registry.Get(*source.Parent).(*simulator.Folder)
	for number := range count {
		config := *source.Config
		config.Name = fmt.Sprintf("copy-%d", number)
		config.Uuid = uuid.NewString()
		config.InstanceUuid = uuid.NewString()
		machine := &simulator.VirtualMachine{VirtualMachine: source.VirtualMachine}
		machine.Self = types.ManagedObjectReference{}
		machine.Name = config.Name
		machine.Config = &config
		machine.Summary.Config.Name = config.Name
		machine.Summary.Config.InstanceUuid = config.InstanceUuid
		registry.PutEntity(folder, machine)
		folder.ChildEntity = append(folder.ChildEntity, machine.Self)
	}
}

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address and port")
	user := flag.String("user", "muster", "user name")
	password := flag.String("password", "", "password")
	isHost := flag.Bool("esx", false, "a standalone ESXi host instead of a vCenter")
	machines := flag.Int("vms", 2, "virtual machines of each cluster and standalone host")
	copies := flag.Int("copies", 0, "copies of one of them")
	datacenters := flag.Int("datacenters", 1, "datacenters, with one cluster of three hosts and one host outside of it")
	pools := flag.Int("pools", 0, "resource pools of each cluster; they have the machines then")
	folders := flag.Int("folders", 0, "datacenters that are in a folder")
	id := flag.String("uuid", uuid.NewString(), "UUID of the vCenter")
	sessionTimeout := flag.String("session-timeout", "30m", "when an idle session ends")
	flag.Parse()

	model := simulator.VPX()
	if *isHost {
		model = simulator.ESX()
	} else {
		model.Datacenter = *datacenters
		model.Pool = *pools
		model.Folder = *folders
		model.Portgroup = 2
		// Otherwise all on one machine have the same.
		model.ServiceContent.About.InstanceUuid = *id
	}
	model.Machine = *machines
	if err := model.Create(); err != nil {
		log.Fatal(err)
	}
	addCopies(model.Map(), *copies)
	model.Map().OptionManager().UpdateOptions(&types.UpdateOptions{
		ChangedValue: []types.BaseOptionValue{
			&types.OptionValue{Key: "config.vmacore.soap.sessionTimeout", Value: *sessionTimeout},
		},
	})

	certificate := newCertificate()
	model.Service.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	model.Service.Listen = &url.URL{Host: *listen, User: url.UserPassword(*user, *password)}
	model.Service.RegisterEndpoints = true
	server := model.Service.NewServer()

	block := pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}
	json.NewEncoder(os.Stdout).Encode(map[string]string{
		"url":         "https://" + server.URL.Host,
		"certificate": string(pem.EncodeToMemory(&block)),
	})
	// It ends with whoever started it.
	io.Copy(io.Discard, os.Stdin)
	server.Close()
	model.Remove()
}
