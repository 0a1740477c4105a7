import assert from 'node:assert/strict'
import type { IdentityProviderDto } from '@muster/contract'
import { startCasPlatform, type CasPlatform } from './cas-platform.ts'
import { requestToken, type ClientResponse } from './client.ts'
import type { Engine } from './engines.ts'
import { dumpTables } from './open-storage.ts'
import { testAuthority } from './secure-server.ts'
import type { Lifetime } from './spawn-muster.ts'

/** A Muster that may contact directories on this machine, with a clock that a test can move. */
export async function startLdapPlatform(lifetime: Lifetime, engine: Engine, allow?: string) {
  let ahead = 0
  const platform: CasPlatform = await startCasPlatform(lifetime, engine, {
    clock: () => Date.now() + ahead,
    ...(allow !== undefined && { allow }),
  })
  const send = (options: object, changes: object) =>
    platform.call<{ identity_provider: IdentityProviderDto }>('POST', '/v3/identity_providers', {
      identity_provider: {
        name: 'directory',
        driver: 'ldap',
        domain_id: 'default',
        options: {
          base_dn: 'dc=example,dc=org',
          bind_dn: 'cn=reader,dc=example,dc=org',
          bind_password: 'of the reader',
          ca: testAuthority,
          ...options,
        },
        ...changes,
      },
    })
  return {
    ...platform,
    createLdap: send,

    async addLdap(options: object, changes: object = {}) {
      const { status, text, body } = await send(options, changes)
      assert.equal(status, 201, text)
      return body.identity_provider
    },

    async remove({ id }: IdentityProviderDto): Promise<void> {
      const { status, text } = await platform.call('DELETE', `/v3/identity_providers/${id}`)
      assert.ok(status < 300, text)
    },

    logInAs: (user: object, password: string, scope?: object) =>
      requestToken(platform.url, {
        identity: { methods: ['password'], password: { user: { ...user, password } } },
        ...(scope && { scope }),
      }),

    /** Syncs as if a quarter of an hour had passed. Returns what went wrong. */
    async syncLater(): Promise<readonly string[]> {
      ahead += 15 * 60_000
      return await platform.syncPeople()
    },

    /** What a failed login must not change. */
    async lastingRows(): Promise<Readonly<Record<string, unknown>>> {
      const {
        events: _,
        spent: __,
        login_attempts: ___,
        login_origins: ____,
        ...rows
      } = await dumpTables(platform.database)
      const isLocal = (row: unknown) => String(row).includes('"provider_id":null')
      return { ...rows, tokens: rows['tokens']?.filter((row) => !isLocal(row)) }
    },

    assertRefusedPassword: (answer: ClientResponse, reason: RegExp) =>
      platform.assertRefused(answer, reason, 'password'),
  }
}
export type LdapPlatform = Awaited<ReturnType<typeof startLdapPlatform>>
