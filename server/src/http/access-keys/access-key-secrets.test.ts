import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { operations } from '@muster/contract'
import { ask, requestToken } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  createKeyHolders,
  forms,
  keyIdentity,
  secretIn,
  signedForms,
  type HeldKey,
  type KeyHolder,
  type KeyHolders,
} from '../../testing/identity-world/access-key-holders.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

/** A secret in every encoding in which it could be stored: as is, its random part, its bytes. */
const spellings = (secret: string): string[] => {
  const bytes = Buffer.from(secret.slice(4), 'base64url')
  const coded = (['latin1', 'base64', 'hex'] as const).flatMap((coding) => [
    bytes.toString(coding),
    Buffer.from(secret).toString(coding),
  ])
  return [secret, secret.slice(4), ...coded.map((text) => text.replace(/=+$/, ''))]
}
const leaksIn = (text: string, secrets: readonly string[]) =>
  secrets.flatMap(spellings).filter((spelling) => text.includes(spelling))

const readFolder = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

onEngineOfLane('the secret of an access key', (engine) => {
  let platform: TestPlatform
  let holders: KeyHolders
  let ann: KeyHolder
  let admin: string
  let log = ''
  const keys: HeldKey[] = []
  /** All credentials that were sent, valid or not; signatures are included. */
  const sent: string[] = []
  const answers: string[] = []
  before(async () => {
    const destination = { write: (line: string) => (log += line) }
    platform = await startPlatform({
      engine,
      flags: ['--login-failures-per-minute=0'],
      log: { level: 'trace', destination },
    })
    holders = createKeyHolders(platform)
    ann = await holders.addHolder()
    admin = await holders.plantAdmin()
    await useKeys()
  })
  after(() => platform.close())

  const secrets = () => keys.map(({ secret }) => secret)
  const signatures = () =>
    sent.flatMap((text) => {
      const [, signature] = /"signature":"(\w+)"/.exec(text) ?? []
      return signature === undefined ? [] : [signature]
    })
  async function logIn(text: unknown, headers: Record<string, string> = {}) {
    sent.push(typeof text === 'string' ? text : JSON.stringify(text))
    const answer = await holders.login(text, { headers })
    answers.push(answer.text)
    return answer.status
  }

  /** Creates keys and uses them in every way, valid and invalid. */
  async function useKeys(): Promise<void> {
    for (let count = 0; count < 3; count += 1) {
      const fields = { project_id: ann.projectId, name: `key ${count}` }
      const { body } = await holders.tryToMake(ann.token, fields)
      keys.push({ id: body.credential.id, secret: secretIn(body.credential) })
    }
    const [first, second, third] = keys as [HeldKey, HeldKey, HeldKey]
    for (const form of forms) assert.equal(await logIn(holders.present(form, first)), 201)
    await holders.credentials(ann.token, 'PUT', `/${second.id}`, {
      credential: { enabled: false, name: 'renamed' },
    })
    await holders.credentials(ann.token, 'DELETE', `/${third.id}`)
    const mixed = { id: first.id, secret: second.secret }
    for (const one of [second, third, mixed]) {
      for (const form of forms) assert.equal(await logIn(holders.present(form, one)), 401)
    }
    const { id, secret } = first
    for (const text of [
      `${id} ${secret}`,
      `${id}:${secret}\n`,
      `{"access_key":"${id}","secret":"${secret}"`,
      `{"access_key":"${id}","secret":"${secret}"}`,
      { access_key: id, secret },
    ]) {
      assert.equal(await logIn(text), 400)
    }
    const elsewhere = { 'x-forwarded-for': '198.51.100.7' }
    assert.equal(await logIn(holders.present('plain', first), elsewhere), 400)
    // Secrets in the wrong field, as users send them by mistake.
    const mistakes = [
      ask(platform.url, `/v3/auth/tokens/${id}:${secret}`, { token: secret }),
      ask(platform.url, `/v3/credentials/${secret}?secret=${secret}`, { token: ann.token }),
      holders.tryToMake(ann.token, { project_id: ann.projectId, blob: secret }),
      holders.tryToMake(ann.token, { project_id: secret }),
      requestToken(platform.url, { identity: { ...keyIdentity('x:y'), secret } }),
    ]
    for (const { status, text } of await Promise.all(mistakes)) {
      assert.ok(status >= 400, text)
      answers.push(text)
    }
  }

  test('SEC-36: is not in the database, in any encoding', async () => {
    const tables = await dumpTables(platform.database)
    const dump = JSON.stringify(tables)
    assert.ok(dump.includes(keys[0]?.id ?? ''))
    assert.deepEqual(leaksIn(dump, secrets()), [])
    for (const signature of signatures()) assert.ok(!dump.includes(signature))
    // Encrypted, and no two values are equal.
    const sealed = await platform.database.db
      .selectFrom('access_keys')
      .select('secret')
      .where('id', 'in', [keys[0]?.id ?? '', keys[1]?.id ?? ''])
      .execute()
    for (const { secret } of sealed) assert.match(secret, /^v1\.[\w-]{90,}$/)
    assert.equal(new Set(sealed.map(({ secret }) => secret)).size, 2)
  })

  test('SEC-36: is not in any file', () => {
    const files = readFolder(platform.folder)
    assert.ok(engine === 'postgres' || files.includes(keys[0]?.id ?? ''))
    assert.deepEqual(leaksIn(files, secrets()), [])
  })

  test('SEC-36: is only in the response that created the key', async () => {
    const paths = operations
      .filter(({ method }) => method === 'GET')
      .flatMap(({ path }) =>
        [keys[0]?.id, keys[1]?.id, ann.userId, ann.projectId].map((id) =>
          path.replaceAll(/\{\w+\}/g, id ?? ''),
        ),
      )
    let found = 0
    for (const token of [admin, ann.token]) {
      for (const path of new Set(paths)) {
        const headers = { 'x-subject-token': token }
        const { text, status } = await ask(platform.url, path, { token, headers })
        assert.deepEqual(leaksIn(text, secrets()), [], path)
        if (status === 200 && text.includes(keys[0]?.id ?? '')) found += 1
      }
    }
    // The list, the key and the audit log show the key to both, without the secret.
    assert.ok(found >= 6, String(found))
    assert.deepEqual(leaksIn(answers.join('\n'), secrets()), [])
  })

  test('SEC-36: cannot be decrypted in the row of another key', async () => {
    const [one, other] = [await holders.makeOwnKey(ann), await holders.makeOwnKey(ann)]
    const { db } = platform.database
    const sealedOf = async ({ id }: HeldKey) =>
      (
        await db
          .selectFrom('access_keys')
          .select('secret')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).secret
    const put = ({ id }: HeldKey, secret: string) =>
      db.updateTable('access_keys').set({ secret }).where('id', '=', id).compile()
    const stolen = { id: one.id, secret: other.secret }
    const [own, foreign] = [await sealedOf(one), await sealedOf(other)]
    for (const secret of [foreign, `${own}A`, own.slice(0, -2), '', other.secret]) {
      await holders.identities.change(put(one, secret))
      keys.push(other, one)
      for (const form of forms) {
        for (const key of [stolen, one]) {
          assert.ok((await logIn(holders.present(form, key))) >= 400)
        }
      }
    }
    await holders.identities.change(put(one, own))
    assert.equal(await logIn(holders.present('own', one)), 201)
  })

  test('SEC-64: is not in the log at the most verbose level, even when the database fails', async () => {
    const [first] = keys as [HeldKey]
    const { schema } = platform.database.db
    const rename = (from: string, to: string) =>
      platform.database.commit([schema.alterTable(from).renameTo(to).compile()])
    await rename('spent', 'hidden')
    for (const form of signedForms) assert.equal(await logIn(holders.present(form, first)), 500)
    await rename('hidden', 'spent')
    await rename('access_keys', 'hidden')
    const unknown = { id: 'd'.repeat(32), secret: first.secret }
    for (const form of forms) assert.equal(await logIn(holders.present(form, unknown)), 500)
    assert.equal((await holders.tryToMake(ann.token, { project_id: ann.projectId })).status, 500)
    await rename('hidden', 'access_keys')

    assert.ok(log.split('\n').length > answers.length)
    assert.match(log, /"err":/)
    assert.match(log, /not signed with its secret/)
    assert.deepEqual(leaksIn(log, secrets()), [])
    for (const text of sent) assert.ok(!log.includes(text), text)
    for (const signature of signatures()) assert.ok(!log.includes(signature), signature)
  })
})
