import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { eventually } from '../../testing/eventually.ts'
import { startFactorWorld, type FactorWorld } from '../../testing/factor-world.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

// SQLite is for one process.
void describe('second factors on two nodes, and after a restart', () => {
  const engine = 'postgres'
  const lifetime = suiteLifetime()
  let world: FactorWorld
  let other: TestPlatform
  before(async () => {
    world = await startFactorWorld(lifetime, engine)
    other = await startPlatform({ engine, beside: world.muster })
    lifetime.after(() => other.close())
  })

  test('a code that one node accepted is refused by the other', async () => {
    const person = await world.addEnrolled()
    const code = await world.freshCode(person)
    assert.equal((await world.logInWithCode(person, code)).status, 201)
    assert.equal((await world.logInWithCode(person, code, other.url)).status, 401)
    assert.equal((await world.verify(person.id, person.token, code, other.url)).status, 401)
  })

  test('a code that was used before a start is refused after it', async () => {
    const person = await world.addEnrolled()
    const codes = [await world.freshCode(person), person.recoveryCodes[0] ?? '']
    for (const code of codes) {
      assert.equal((await world.logInWithCode(person, code)).status, 201)
      const later = await startPlatform({ engine, beside: world.muster })
      const answer = await world.logInWithCode(person, code, later.url)
      await later.close()
      assert.equal(answer.status, 401)
    }
  })

  test('of requests with one code on both nodes at once exactly one succeeds', async () => {
    for (let round = 0; round < 3; round += 1) {
      const person = await world.addEnrolled()
      const codes = [await world.freshCode(person), person.recoveryCodes[round] ?? '']
      for (const code of codes) {
        const urls = [world.muster.url, other.url, world.muster.url, other.url]
        const answers = await Promise.all([
          ...urls.map((url) => world.logInWithCode(person, code, url)),
          ...urls.map((url) => world.verify(person.id, person.token, code, url)),
        ])
        const won = answers.filter(({ status }) => status === 201 || status === 204)
        assert.equal(won.length, 1, answers.map(({ status }) => status).join())
        await world.forgetUse('')
      }
    }
  })

  test('a new factor and a reset hold on the other node', async () => {
    const person = await world.addEnrolled()
    const alone = () => world.logIn(world.passwordIdentity(person.id), other.url)
    assert.equal((await alone()).status, 401)
    const answer = await world.call('DELETE', world.factorsPath(person.id), world.muster.admin)
    assert.equal(answer.status, 204)
    await eventually(
      'the other node lets the user log in',
      async () => (await alone()).status === 201,
    )
  })
})
