import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'

const http = 'server/src/http/identity-providers'
const attacks = `${http}/oidc-attacks.test.ts`
const flow = 'server/src/domain/identity/providers/oidc/oidc-flow.test.ts'
const browser = 'gateway/src/oidc-login.test.ts'
const tokens = `${http}/oidc-tokens.test.ts`
const logout = `${http}/oidc-logout.test.ts`
const ldap = `${http}/ldap-login.test.ts`
const links = `${http}/linked-logins.test.ts`
const slapd = 'testing/ldap/login.backend.ts'

/** Known attacks on logins by identity providers, and the tests of each. There is no device flow and no second factor. */
const tests: Readonly<Record<string, readonly (readonly [file: string, ...titles: string[]])[]>> = {
  'mix-up of providers': [
    [
      attacks,
      'mix-up: the answer names another issuer',
      'mix-up: the ID token is of another issuer',
    ],
    [browser, 'of another issuer', 'at the address of another provider'],
  ],
  'code replay': [[attacks, 'is refused with a code that was used before']],
  'token replay': [[tokens, 'works once, for the user of the subject']],
  'algorithm confusion': [
    [attacks, 'alg none', 'HS256 with the public key'],
    [tokens, 'alg none', 'HS256 with the public key'],
    [logout, 'alg none', 'HS256 with the public key'],
  ],
  'token type confusion': [
    [tokens, 'the audience of ID tokens', 'an ID token of Keycloak', 'a logout token'],
    [logout, 'an ID token', 'another type'],
  ],
  'a token for another client (azp)': [[attacks, 'issued to another client', 'without azp']],
  'PKCE downgrade': [[flow, 'uses PKCE with S256, whatever the provider says that it can']],
  'JWKS poisoning': [
    [flow, 'takes no key with which a provider', 'forgets a key that the provider removed'],
    [attacks, 'a key in the header', 'a signature of another key with a known id'],
  ],
  'jku as SSRF': [[attacks, 'an address of keys in the header']],
  'discovery as SSRF': [[flow, 'asks no address but those that a login may']],
  'floods of unknown key ids': [
    [attacks, 'a flood of unknown key ids causes two requests for keys at most'],
  ],
  'forged logout tokens': [
    [logout, 'that is forged ends nothing', 'ends nothing here, even for the same subject'],
  ],
  'open redirect': [[browser, 'SEC-55 redirects only to pages of the console']],
  'login CSRF': [[browser, 'in a browser that began nothing (login CSRF)']],
  'session fixation': [[browser, 'replaces the session of the browser']],
  'linking by an unverified e-mail address': [
    [links, 'is never found by name or e-mail address, verified or not'],
  ],
  'reuse of a subject by another issuer': [
    [attacks, 'the same subject of another issuer is another user'],
  ],
  'collisions of folded names': [
    [attacks, 'the same name in another spelling'],
    [ldap, 'two people whose names fold to one never become one user'],
  ],
  'group overage': [[attacks, 'groups that are somewhere else (overage)']],
  'LDAP injection': [
    [ldap, 'a filter instead of a name'],
    [slapd, 'lets in people with any name, as themselves'],
  ],
  'bind with an empty password': [[ldap, 'an empty password']],
  'StartTLS stripping': [[ldap, 'TLS refused']],
  'secrets sent after a changed address of the provider': [
    [ldap, 'asks for it again if its receiver changes'],
    [`${http}/provider-options.test.ts`, 'of another kind, or fixed'],
  ],
  'user enumeration by time': [
    [ldap, 'a wrong password asks the directory as often for each kind of user'],
    ['server/src/http/tokens/login-failures.test.ts', 'SEC-21 for existing and unknown users'],
  ],
  'a group that is called like a built-in role': [
    [attacks, 'a group or role that is called like a role of Muster gives nothing'],
  ],
  'a provider that is slow, down or answers garbage': [
    [attacks, 'a page instead of JSON', 'a huge answer', 'while the provider is down'],
    [flow, 'gives a provider that never answers', 'gives keys that never come'],
    [browser, 'a provider that does not respond leads to the login page with a reason'],
    [slapd, 'a slapd that is gone refuses its users only'],
  ],
}

describe('attacks on logins by identity providers have tests:', () => {
  for (const [attack, places] of Object.entries(tests)) {
    test(attack, () => {
      for (const [file, ...titles] of places) {
        const text = readFileSync(file, 'utf8')
        for (const title of titles) assert.ok(text.includes(title), `${file}: ${title}`)
      }
    })
  }
})
