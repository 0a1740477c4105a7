import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDrivers } from './drivers.ts'

const signed = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">
<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignatureValue>x</ds:SignatureValue></ds:Signature>
<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"><saml:Subject><saml:NameID>admin</saml:NameID></saml:Subject></saml:Assertion>
</samlp:Response>`

test('SEC-44: CAS, OIDC, LDAP and workloads are the only drivers, and none accepts a signed assertion', async () => {
  const drivers = createDrivers({
    send: () => Promise.resolve({ status: 200, contentType: 'text/xml', text: signed }),
    openLdap: () => Promise.reject(new Error('not a directory')),
  })
  assert.deepEqual(
    drivers.map(({ names }) => names),
    [['cas', 'cas_ticket'], ['oidc'], ['ldap'], ['workload']],
  )
  const options = {
    url: 'https://cas.test',
    service_url: 'https://m.test',
    protocol: 3,
    ca: '',
    issuer: 'https://id.test',
    client_id: 'muster',
    client_secret: '',
  }
  for (const driver of drivers.filter((each) => 'verify' in each)) {
    await assert.rejects(driver.verify(options, { secret: 'ST-1' }), { class: 'UnauthorizedError' })
  }
})
