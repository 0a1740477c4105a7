import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask, requestToken, secretOf, tokenIdentity } from '../../testing/client.ts'
import {
  plainHash,
  startMeasuredLogins,
  type MeasuredLogins,
} from '../../testing/identity-world/measured-logins.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const password = 'the right password'
const second = 1_000
const minute = 60 * second

type User = Record<string, unknown>
const identify = (user: User) => ({ methods: ['password'], password: { user } })

interface Victim {
  readonly id: string
  readonly name: string
  readonly domainId: string
}

/** One user with many spellings of the name. */
const spellingsOf = ({ id, name, domainId }: Victim): User[] => [
  { id },
  { Id: id },
  { id, domain: { id: domainId } },
  { id, name },
  { name, domain: { id: domainId } },
  { name, Domain: { name: 'Guessed' } },
  { name, domain: { id: domainId, name: 'guessed' } },
  { name: name.toUpperCase(), domain: { id: domainId } },
  { name: name.toLowerCase(), domain: { name: 'GUESSED' } },
  { name: `${name} `, domain: { id: domainId } },
  { name: `\t${name}\n`, domain: { name: ' guessed ' } },
  { name: name.normalize('NFD'), domain: { id: domainId } },
  { name: toFullWidth(name), domain: { name: toFullWidth('Guessed') } },
]
const toFullWidth = (text: string) =>
  text.replaceAll(/[!-~]/g, (letter) => String.fromCodePoint(letter.codePointAt(0)! + 0xfee0))

onPostgresFirst('password guessing', (engine) => {
  let now = Date.now()
  let platform: TestPlatform
  let logins: MeasuredLogins
  let domainId: string
  before(async () => {
    platform = await startPlatform({ engine, clock: () => now })
    logins = await startMeasuredLogins(platform, {
      clock: () => now,
      trustedProxies: ['127.0.0.1'],
    })
    domainId = await createIdentityWorld(platform.database).addDomain('Guessed')
  })
  after(async () => {
    await logins.close()
    await platform.close()
  })

  const addVictim = async (name: string): Promise<Victim> => {
    const identities = createIdentityWorld(platform.database)
    const id = await identities.addUser({ name, domainId, passwordHash: plainHash(password) })
    return { id, name, domainId }
  }
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const tryPassword = async (
    victim: User,
    guess: string,
    address = '198.51.100.1',
    to = logins,
  ) => {
    const identity = identify({ ...victim, password: guess })
    return (await requestToken(to.url, { identity }, from(address))).status
  }
  const guessInParallel = (victim: Victim, times: number, servers: MeasuredLogins[]) => {
    const spellings = spellingsOf(victim)
    return Promise.all(
      Array.from({ length: times }, (_, index) =>
        tryPassword(
          spellings[index % spellings.length] ?? {},
          `guess ${index}`,
          `198.51.100.${index % 200}`,
          servers[index % servers.length],
        ),
      ),
    )
  }

  test('every spelling counts for the same user', async () => {
    const victim = await addVictim('Zoë Ångström-1')
    for (const spelling of spellingsOf(victim)) {
      assert.equal(await tryPassword(spelling, password), 201, JSON.stringify(spelling))
    }
  })

  test('SEC-22 200 concurrent guesses over all spellings are compared at most ten times', async () => {
    const victim = await addVictim('Zoë Ångström-2')
    const { real } = logins.counts
    const statuses = await guessInParallel(victim, 200, [logins])
    assert.deepEqual([...new Set(statuses)], [401])
    assert.equal(logins.counts.real - real, 10)
    for (const spelling of spellingsOf(victim)) {
      assert.equal(await tryPassword(spelling, password), 401, JSON.stringify(spelling))
    }
    assert.equal(logins.counts.real - real, 10)
  })

  test('SEC-22 sequential guesses count the same', async () => {
    const victim = await addVictim('Zoë Ångström-3')
    const { real } = logins.counts
    for (const spelling of [...spellingsOf(victim), ...spellingsOf(victim)]) {
      assert.equal(await tryPassword(spelling, 'wrong'), 401)
    }
    assert.equal(logins.counts.real - real, 10)
  })

  test('SEC-22 nine failures cause no delay, and a correct password resets them', async () => {
    const victim = await addVictim('Zoë Ångström-4')
    for (let round = 0; round < 3; round += 1) {
      for (let index = 0; index < 9; index += 1) {
        assert.equal(await tryPassword({ id: victim.id }, 'wrong', '198.51.100.9'), 401)
      }
      assert.equal(await tryPassword({ id: victim.id }, password, '198.51.100.9'), 201)
    }
  })

  test('SEC-22 the delay starts at one second and doubles up to fifteen minutes', async () => {
    const victim = { id: (await addVictim('Zoë Ångström-5')).id }
    for (let index = 0; index < 9; index += 1) await tryPassword(victim, 'wrong')
    const { counts } = logins
    const delays = Array.from({ length: 13 }, (_, step) =>
      Math.min(second * 2 ** step, 15 * minute),
    )
    for (const delay of delays) {
      const { real } = counts
      assert.equal(await tryPassword(victim, 'wrong'), 401)
      assert.equal(counts.real, real + 1, `not compared after the delay before ${delay}`)
      now += delay - 1
      assert.equal(await tryPassword(victim, password), 401)
      assert.equal(counts.real, real + 1, `compared within ${delay}`)
      now += 1
    }
    assert.equal(await tryPassword(victim, password), 201)
    assert.equal(await tryPassword(victim, 'wrong'), 401)
    assert.equal(await tryPassword(victim, password), 201)
  })

  test('SEC-22 one of many guesses at the end of a delay is compared', async () => {
    const victim = await addVictim('Zoë Ångström-6')
    await guessInParallel(victim, 20, [logins])
    now += second
    const { real } = logins.counts
    await guessInParallel(victim, 30, [logins])
    assert.equal(logins.counts.real - real, 1)
  })

  test('SEC-23 the delay applies to password logins only', async () => {
    const victim = await addVictim('Zoë Ångström-7')
    const identity = identify({ id: victim.id, password })
    const token = secretOf(await requestToken(logins.url, { identity }, from('192.0.2.50')))
    await guessInParallel(victim, 20, [logins])
    assert.equal(await tryPassword({ id: victim.id }, password), 401)
    assert.equal((await ask(logins.url, '/v3/auth/projects', { token })).status, 200)
    assert.equal((await requestToken(logins.url, { identity: tokenIdentity(token) })).status, 201)
  })

  test('SEC-23 disabling a user applies to every login method at once', async () => {
    const victim = await addVictim('Zoë Ångström-8')
    const identity = identify({ id: victim.id, password })
    const token = secretOf(await requestToken(logins.url, { identity }))
    const child = secretOf(await requestToken(logins.url, { identity: tokenIdentity(token) }))
    const { db, commitIdentity } = platform.database
    await commitIdentity([
      db.updateTable('users').set({ enabled: 0 }).where('id', '=', victim.id).compile(),
    ])
    assert.equal((await requestToken(logins.url, { identity })).status, 401)
    for (const secret of [token, child]) {
      const rescoped = await requestToken(logins.url, { identity: tokenIdentity(secret) })
      assert.equal(rescoped.status, 401)
      assert.equal((await ask(logins.url, '/v3/auth/projects', { token: secret })).status, 401)
      assert.equal((await ask(platform.url, '/v3/auth/projects', { token: secret })).status, 401)
    }
  })

  test('SEC-24 1,000 guesses from elsewhere do not lock the user out of a known address', async () => {
    const victim = await addVictim('Zoë Ångström-9')
    const known = '192.0.2.60'
    assert.equal(await tryPassword({ id: victim.id }, password, known), 201)
    for (let round = 0; round < 10; round += 1) await guessInParallel(victim, 100, [logins])
    assert.equal(await tryPassword({ id: victim.id }, password, known), 201)
    assert.equal(
      await tryPassword({ name: victim.name, domain: { id: domainId } }, password, known),
      201,
    )
  })

  test('SEC-24 they lock the user out of a new address for fifteen minutes at most', async () => {
    const victim = await addVictim('Zoë Ångström-10')
    // One guess at the end of each delay, until the delay no longer grows.
    for (let round = 0; round < 40; round += 1) {
      await tryPassword({ id: victim.id }, 'wrong', '203.0.113.66')
      now += 15 * minute
    }
    await tryPassword({ id: victim.id }, 'wrong', '203.0.113.66')
    assert.equal(await tryPassword({ id: victim.id }, password, '192.0.2.61'), 401)
    now += 15 * minute
    assert.equal(await tryPassword({ id: victim.id }, password, '192.0.2.61'), 201)
  })

  test('SEC-24 guesses from a known address are counted too', async () => {
    const victim = await addVictim('Zoë Ångström-11')
    const known = '192.0.2.62'
    assert.equal(await tryPassword({ id: victim.id }, password, known), 201)
    const { real } = logins.counts
    for (let index = 0; index < 30; index += 1) {
      await tryPassword({ id: victim.id }, 'wrong', known)
    }
    assert.equal(logins.counts.real - real, 10)
    assert.equal(await tryPassword({ id: victim.id }, password, known), 401)
  })

  test('SEC-24 the delay of one user does not affect another', async () => {
    const victim = await addVictim('Zoë Ångström-12')
    const neighbour = await addVictim('Zoë Ångström-13')
    await guessInParallel(victim, 20, [logins])
    assert.equal(await tryPassword({ id: neighbour.id }, password), 201)
  })

  if (engine === 'postgres') {
    test('SEC-22 guesses in two processes share one count', async () => {
      const beside = await startPlatform({ engine, clock: () => now, beside: platform })
      const others = await startMeasuredLogins(beside, {
        clock: () => now,
        trustedProxies: ['127.0.0.1'],
      })
      try {
        const victim = await addVictim('Zoë Ångström-14')
        const before = logins.counts.real + others.counts.real
        const statuses = await guessInParallel(victim, 200, [logins, others])
        assert.deepEqual([...new Set(statuses)], [401])
        assert.equal(logins.counts.real + others.counts.real - before, 10)
        for (const server of [logins, others]) {
          assert.equal(await tryPassword({ id: victim.id }, password, '192.0.2.1', server), 401)
        }
      } finally {
        await others.close()
        await beside.close()
      }
    })
  }
})
