import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { PlatformError } from '../../server/src/domain/error.ts'
import {
  createCasDriver,
  isServiceTicket,
} from '../../server/src/domain/identity/providers/cas/cas-driver.ts'
import { createAddressRule } from '../../server/src/egress/allowed-addresses.ts'
import { createGuardedRequest } from '../../server/src/egress/guarded-request.ts'
import { loginAtCas } from './login.ts'
import { people, startCasServer, type TestCas } from './start.ts'

const serviceUrl = 'https://muster.test/v3/auth/cas?next=%2Fservers&x=ä'
const driver = createCasDriver({
  send: createGuardedRequest(createAddressRule(['localhost'])),
})

describe('a real CAS server', () => {
  let cas: TestCas
  before(async () => {
    cas = await startCasServer()
  })
  after(() => cas.stop())

  const endpoint = (changes: object = {}) => ({
    url: cas.url,
    service_url: serviceUrl,
    protocol: 3,
    ca: cas.ca,
    ...changes,
  })
  const login = (user: keyof typeof people) =>
    loginAtCas(cas, user, people[user].password, serviceUrl)
  const refuses = (changes: object, ticket: string, reason: RegExp) =>
    assert.rejects(driver.verify(endpoint(changes), { secret: ticket }), (error) => {
      assert.ok(error instanceof PlatformError)
      assert.equal(error.class, 'UnauthorizedError')
      assert.match(String(error.cause), reason)
      return true
    })

  for (const protocol of [2, 3] as const) {
    test(`SEC-46 validates a ticket once, by protocol ${protocol}`, async () => {
      const ticket = await login('ada')
      assert.ok(isServiceTicket(ticket))
      const { subject } = await driver.verify(endpoint({ protocol }), { secret: ticket })
      assert.equal(subject, 'ada')
      await refuses({ protocol }, ticket, /refused the ticket, INVALID_TICKET$/)
    })
  }

  test('returns the attributes of each user', async () => {
    const ada = await driver.verify(endpoint(), { secret: await login('ada') })
    assert.deepEqual(ada.attributes.get('mail'), [people.ada.attributes.mail])
    assert.deepEqual(ada.attributes.get('group'), people.ada.attributes.group)
    assert.deepEqual(ada.attributes.get('isFromNewLogin'), ['true'])
    assert.equal(ada.attributes.get('authenticationDate')?.length, 1)
    const grace = await driver.verify(endpoint(), { secret: await login('grace') })
    assert.equal(grace.subject, 'grace')
    assert.deepEqual(grace.attributes.get('group'), people.grace.attributes.group)
  })

  test('validates new users with any characters in their names', async () => {
    const person = { password: 'later & <later>', attributes: { group: [] } }
    for (const name of ['later', 'Jörg <b> & "Söhne"', '张三']) {
      cas.putPerson(name, person)
      const ticket = await loginAtCas(cas, name, person.password, serviceUrl)
      const { subject, attributes } = await driver.verify(endpoint(), { secret: ticket })
      assert.equal(subject, name)
      assert.equal(attributes.get('group'), undefined)
    }
  })

  test('SEC-40 refuses a ticket for another service', async () => {
    const ticket = await login('ada')
    await refuses({ service_url: 'https://muster.test/' }, ticket, /INVALID_SERVICE$/)
  })

  test('SEC-42 refuses a forged ticket', async () => {
    await refuses({}, 'ST-never', /INVALID_TICKET$/)
    await refuses({}, 'ST-never&ticket=ST-other', /INVALID_TICKET$/)
    await refuses({}, '<cas:user>ada</cas:user>', /INVALID_TICKET$/)
  })

  test('SEC-47 is not contacted if its certificate is not trusted', async () => {
    const ticket = await login('ada')
    await refuses({ ca: '' }, ticket, /certificate/)
    assert.equal((await driver.verify(endpoint(), { secret: ticket })).subject, 'ada')
  })

  test('refuses a wrong password', async () => {
    await assert.rejects(loginAtCas(cas, 'ada', people.grace.password, serviceUrl), /let ada in/)
    await assert.rejects(loginAtCas(cas, 'nobody', 'x', serviceUrl), /let nobody in/)
  })
})
