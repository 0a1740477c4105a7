import assert from 'node:assert/strict'
import type { IdentityProviderDto } from '@muster/contract'
import { startCasPlatform, type CasPlatform } from './cas-platform.ts'
import { requestToken } from './client.ts'
import type { Engine } from './engines.ts'
import { testAuthority } from './secure-server.ts'
import type { Lifetime } from './spawn-muster.ts'

/** Where fake providers send browsers back to. */
const redirectUri = 'https://muster.test/api/session/providers/x/callback'

/** What the browser keeps during a login with the fake provider. */
export const proof = {
  code_verifier: 'v'.repeat(43),
  nonce: 'the-nonce',
  redirect_uri: redirectUri,
}

/** A Muster that may contact OpenID providers on this machine. */
export async function startOidcPlatform(lifetime: Lifetime, engine: Engine) {
  const platform: CasPlatform = await startCasPlatform(lifetime, engine)
  return {
    ...platform,

    async addOidc(issuer: string, changes: object = {}, options: object = {}) {
      const { status, text, body } = await platform.call<{
        identity_provider: IdentityProviderDto
      }>('POST', '/v3/identity_providers', {
        identity_provider: {
          name: `provider at ${issuer}`,
          driver: 'oidc',
          domain_id: 'default',
          options: {
            issuer,
            client_id: 'muster',
            client_secret: 'a client secret',
            ca: testAuthority,
            ...options,
          },
          ...changes,
        },
      })
      assert.equal(status, 201, text)
      return body.identity_provider
    },

    /** A login with a credential, as the gateway sends it. */
    logInWith: (credential: Readonly<Record<string, string>>, scope?: object) =>
      requestToken(platform.url, {
        identity: { methods: ['oidc'], credential },
        ...(scope && { scope }),
      }),

    assertRefused: (
      answer: Parameters<CasPlatform['assertRefused']>[0],
      reason: RegExp,
      method = 'oidc',
    ) => platform.assertRefused(answer, reason, method),
  }
}
export type OidcPlatform = Awaited<ReturnType<typeof startOidcPlatform>>
