import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { createCacheMemory } from '../../domain/cache.ts'
import { createFindUserStatus } from '../../domain/identity/user-status.ts'
import { tokenId } from '../../domain/identity/token-secret.ts'
import { createVerifyToken, type VerifyToken } from '../../domain/identity/verify-token.ts'
import { createDirectory } from '../../storage/identity/directory.ts'
import { createTokenStore } from '../../storage/identity/tokens.ts'
import { ask, loginAdmin, requestToken, tokenIdentity } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const inserts = ['=', ' ', '\t', '\r', '\n', '\0', '%20', '%00', '+', '/', '.', ',', 'ａ', '\u200B']

/** The checksum is public, so a forger would compute it. */
function withChecksum(body: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(body))
  return body + bytes.toString('base64url')
}

function* mutationsAt(token: string, place: number): Generator<string> {
  const head = token.slice(0, place)
  const rest = token.slice(place)
  const [own = '', tail] = [token[place], token.slice(place + 1)]
  yield head
  yield rest
  yield head + tail
  yield head + own + own + tail
  yield head + own.toUpperCase() + tail
  yield head + own.toLowerCase() + tail
  yield `${head}%${own.charCodeAt(0).toString(16)}${tail}`
  for (let bit = 0; bit < 8; bit += 1) {
    yield head + String.fromCharCode(own.charCodeAt(0) ^ (1 << bit)) + tail
  }
  for (const insert of inserts) yield head + insert + rest
  for (const other of alphabet) yield head + other + tail
}

function* mutationsOf(token: string): Generator<string> {
  for (let place = 0; place <= token.length; place += 1) yield* mutationsAt(token, place)
  // The same with a valid checksum: these reach the database.
  const body = token.slice(0, -6)
  for (let place = 0; place <= body.length; place += 1) {
    for (const mutant of mutationsAt(body, place)) yield withChecksum(mutant)
  }
  yield* [token.toUpperCase(), token.toLowerCase(), token + token, `${token},${token}`]
  yield* [`Bearer ${token}`, encodeURIComponent(`${token} `), `"${token}"`, '%', '*', 'null']
  // What an attacker who has read the database knows.
  const id = tokenId(token) ?? ''
  yield* [id, `mt1_${id}`, withChecksum(`mt1_${id}`)]
}

/** Valid header values; surrounding blanks are not part of them. */
const fitsHeader = (text: string) => /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/.test(text)

onEngineOfLane('a modified token', (engine) => {
  let platform: TestPlatform
  let verifyToken: VerifyToken
  let token: string
  let mutants: string[]
  before(async () => {
    platform = await startPlatform({ engine, flags: ['--login-failures-per-minute=0'] })
    token = await loginAdmin(platform.url)
    const { database } = platform
    const identityVersion = { current: database.currentVersion }
    const clock = Date.now
    const memory = createCacheMemory(2 ** 24)
    verifyToken = createVerifyToken({
      tokens: createTokenStore(database),
      findUserStatus: createFindUserStatus({
        directory: createDirectory(database),
        identityVersion,
        clock,
        memory,
      }),
      identityVersion,
      clock,
      memory,
    })
    const distinct = new Set(mutationsOf(token))
    distinct.delete(token)
    mutants = [...distinct]
  })
  after(() => platform.close())

  test('SEC-06: is rejected in 5,000 variants, while the original is accepted', async () => {
    assert.ok(mutants.length >= 5_000, `only ${mutants.length} mutants`)
    assert.ok(await verifyToken(token))
    const accepted: string[] = []
    const untried = mutants.values()
    const tryOut = async () => {
      for (const mutant of untried) if (await verifyToken(mutant)) accepted.push(mutant)
    }
    await Promise.all(Array.from({ length: 10 }, tryOut))
    assert.deepEqual(accepted, [])
    assert.ok(await verifyToken(token))
  })

  const sample = (suitable: (mutant: string) => boolean) => {
    const fitting = mutants.filter(suitable)
    const stride = Math.ceil(fitting.length / 150)
    return fitting.filter((_, index) => index % stride === 0)
  }
  const statusesOf = async (texts: readonly string[], send: (text: string) => Promise<number>) => {
    const statuses = new Set<number>()
    for (const text of texts) statuses.add(await send(text))
    return [...statuses]
  }

  test('SEC-06: is rejected in every header', async () => {
    const { url } = platform
    const texts = sample(fitsHeader)
    assert.ok(texts.length > 100)
    const asCaller = async (text: string) =>
      (await ask(url, '/v3/auth/projects', { token: text })).status
    const asSubject = async (text: string) =>
      (await ask(url, '/v3/auth/tokens', { token, headers: { 'x-subject-token': text } })).status
    assert.deepEqual(await statusesOf(texts, asCaller), [401])
    assert.deepEqual(await statusesOf(texts, asSubject), [404])
    assert.equal(await asCaller(token), 200)
    assert.equal(await asSubject(token), 200)
  })

  test('SEC-06: cannot be exchanged for another token', async () => {
    const send = async (text: string) =>
      (await requestToken(platform.url, { identity: tokenIdentity(text) })).status
    // A NUL is a 400 in any text, also in a token.
    const texts = sample((text) => text !== '' && !text.includes('\0'))
    assert.deepEqual(await statusesOf(texts, send), [401])
    assert.equal(await send(token), 201)
  })
})
