import assert from 'node:assert/strict'
import { createHash, createHmac, getHashes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { nameKey } from '../../domain/name-key.ts'
import { passwordIdentity, requestToken, secretOf } from '../../testing/client.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import { adminPassword, startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { defaultPasswordCost } from '../../vault/password-hasher.ts'

const wrongPassword = 'Ein falscher Satz'

/** Enough of a digest to recognise it if only a part is stored. */
const telling = 16

const encodings = ['hex', 'base64', 'base64url'] as const

function digests(text: string, salts: readonly string[]): string[] {
  const bytes = getHashes().flatMap((algorithm) => {
    const hash = (input: string) => {
      // Those without a length of their own cannot be a column by accident.
      try {
        return [createHash(algorithm).update(input).digest()]
      } catch {
        return []
      }
    }
    const keyed = (salt: string) => {
      try {
        return [createHmac(algorithm, salt).update(text).digest()]
      } catch {
        return []
      }
    }
    return [
      ...hash(text),
      ...salts.flatMap((salt) => [...hash(salt + text), ...hash(text + salt), ...keyed(salt)]),
    ]
  })
  return bytes.flatMap((digest) =>
    encodings.map((encoding) => digest.toString(encoding).slice(0, telling)),
  )
}

/** A password and whatever could be made of it without a slow hash. */
function derivates(password: string, salts: readonly string[]): string[] {
  const spellings = [...new Set([password, nameKey(password), password.toUpperCase()])]
  return spellings.flatMap((text) => [
    text,
    ...encodings.map((encoding) => Buffer.from(text).toString(encoding)),
    ...digests(text, salts),
  ])
}

const findDerivates = (text: string, password: string, salts: readonly string[]) => {
  const folded = text.toLowerCase()
  return derivates(password, salts).filter((derivate) => folded.includes(derivate.toLowerCase()))
}

onBothEngines('what the database keeps of a password', (engine) => {
  let platform: TestPlatform
  let rows: string
  let salts: string[]
  before(async () => {
    platform = await startPlatform({ engine, passwordCost: defaultPasswordCost })
    const { url, database } = platform
    secretOf(await requestToken(url, { identity: passwordIdentity('sysadmin', adminPassword) }))
    for (const name of ['sysadmin', 'nobody']) {
      await requestToken(url, { identity: passwordIdentity(name, wrongPassword) })
    }
    // Typed into the wrong field.
    await requestToken(url, { identity: passwordIdentity(adminPassword, wrongPassword) })
    rows = JSON.stringify(await dumpTables(database))
    const { id } = await database.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    salts = [id, 'sysadmin', 'default', 'Default']
  })
  after(() => platform.close())

  test('SEC-67: is stored as one argon2id hash in one column only', async () => {
    const { db } = platform.database
    const { password_hash } = await db
      .selectFrom('users')
      .select('password_hash')
      .executeTakeFirstOrThrow()
    assert.match(password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.equal(rows.split('argon2').length - 1, 1)

    const columns = (await db.introspection.getTables()).flatMap((table) =>
      table.columns.map(({ name }) => `${table.name}.${name}`),
    )
    assert.deepEqual(
      columns.filter((name) => /pass|pwd|secret|digest|hash|crypt|credential|histor/i.test(name)),
      [
        // The secret of an access key is not a password: it is random and encrypted.
        'access_keys.secret',
        // The credentials of a source, encrypted.
        'cloudaccounts.credentials',
        // Whether a domain accepts passwords, and since when.
        'domains.local_passwords',
        'domains.local_passwords_since',
        // The secret of an authenticator app, encrypted.
        'factors.secret',
        // Of an action on servers.
        'idempotency_keys.request_hash',
        // The secrets of providers, encrypted.
        'identity_providers.secrets',
        // Of the secret of a link, which is random and not a password.
        'password_links.user_id',
        'password_links.hash',
        'password_links.expires_at',
        'password_links.created_by',
        'password_links.project_id',
        'password_links.domain_id',
        'password_links.access_key_id',
        // Of random codes.
        'recovery_codes.hash',
        'resource_sightings.digest',
        // Of what is shown of a server.
        'server_documents.facts_digest',
        'server_documents.document_digest',
        'server_documents.summary_digest',
        'server_documents.metadata_digest',
        'sightings.digest',
        'users.password_hash',
        'users.password_expires_at',
        // When the domain refused it.
        'users.password_refused_at',
      ],
    )
  })

  test('SEC-67: has no second hash, neither of the right password nor of a wrong one', () => {
    assert.ok(rows.includes('sysadmin'))
    for (const password of [adminPassword, wrongPassword]) {
      assert.deepEqual(findDerivates(rows, password, salts), [])
    }
    // The search would find what Cloudpods keeps.
    const original = createHash('sha224').update(adminPassword).digest('hex')
    assert.notDeepEqual(findDerivates(rows + original, adminPassword, salts), [])
  })
})
