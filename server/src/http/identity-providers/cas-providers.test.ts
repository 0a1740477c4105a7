import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { startCasPlatform, type CasPlatform } from '../../testing/cas-platform.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { startFakeCas, type FakeCas } from '../../testing/fake-cas.ts'

/** A domain with its own CAS server, and a project visible to all its users. */
interface Home {
  readonly name: string
  readonly cas: FakeCas
  readonly domain: string
  readonly project: string
  readonly provider: string
}

onEngineOfLane('choosing among several CAS providers', (engine) => {
  const lifetime = suiteLifetime()
  let muster: CasPlatform
  let viewer: string
  let domainViewer: string
  let nowhere: string
  let nowhereProject: string
  let east: Home
  let west: Home
  before(async () => {
    muster = await startCasPlatform(lifetime, engine)
    viewer = await muster.roleId('project_viewer')
    domainViewer = await muster.roleId('domain_viewer')
    east = await settle('east')
    west = await settle('west')
    nowhere = await muster.identities.addDomain('nowhere')
    nowhereProject = await muster.identities.addProject('commons', nowhere)
  })

  async function settle(name: string): Promise<Home> {
    const cas = await startFakeCas(lifetime)
    const domain = await muster.identities.addDomain(name)
    // Both projects have the same name, so that only the domain tells them apart.
    const project = await muster.identities.addProject('commons', domain)
    const { id: provider } = await muster.addProvider(cas, {
      name,
      domain_id: domain,
      mapping: [
        { role_id: viewer, project_id: project },
        { role_id: domainViewer, domain_id: domain },
      ],
    })
    return { name, cas, domain, project, provider }
  }

  /** A ticket that both servers would accept. */
  function ticketOfBoth(): string {
    const ticket = east.cas.ticketFor('ada of the east')
    west.cas.ticketFor('ada of the west', {}, ticket)
    return ticket
  }
  const askedAbout = (ticket: string) =>
    [east, west].filter(({ cas }) => cas.askedAbout(ticket).length > 0).map(({ name }) => name)

  async function assertSentTo({ name }: Home, scope: unknown): Promise<void> {
    const ticket = ticketOfBoth()
    const { status, text, body } = await muster.logIn(ticket, scope)
    assert.equal(status, 201, text)
    assert.equal(body.token.user.Name, `ada of the ${name}`)
    assert.deepEqual([body.token.user.Domain.name, askedAbout(ticket)], [name, [name]])
  }

  async function assertSentNowhere(scope: unknown): Promise<void> {
    const ticket = ticketOfBoth()
    await muster.assertRefused(await muster.logIn(ticket, scope), /^CAS: no provider, or more/)
    assert.deepEqual(askedAbout(ticket), [])
  }

  describe('the domain of the scope chooses the provider, and no other provider gets the ticket:', () => {
    const scopes: Readonly<Record<string, (home: Home) => unknown>> = {
      'a project by its id': ({ project }) => ({ project: { id: project } }),
      'a project by its name and the id of its domain': ({ domain }) => ({
        project: { name: 'commons', domain: { id: domain } },
      }),
      'a project by its name and the name of its domain': ({ name }) => ({
        project: { name: 'commons', domain: { name: name.toUpperCase() } },
      }),
      'a domain by its id': ({ domain }) => ({ domain: { id: domain } }),
      'a domain by its name': ({ name }) => ({ domain: { name } }),
    }
    for (const [what, scope] of Object.entries(scopes)) {
      test(what, async () => {
        await assertSentTo(east, scope(east))
        await assertSentTo(west, scope(west))
      })
    }
  })

  describe('no provider is chosen, and none gets the ticket:', () => {
    test('without a scope', () => assertSentNowhere(undefined))

    test('for a scope in an unknown domain or in one without a provider', async () => {
      await assertSentNowhere({ domain: { id: nowhere } })
      await assertSentNowhere({ project: { id: nowhereProject } })
      await assertSentNowhere({ project: { name: 'commons', domain: { name: 'nowhere' } } })
      await assertSentNowhere({ domain: { name: 'never was' } })
      await assertSentNowhere({ project: { id: 'never was' } })
      await assertSentNowhere({ domain: { id: east.domain, name: 'west' } })
    })

    test('if the domain has two providers', async () => {
      const second = await startFakeCas(lifetime)
      const { id } = await muster.addProvider(second, { domain_id: east.domain })
      await assertSentNowhere({ domain: { id: east.domain } })
      assert.equal(second.connections(), 0)
      await assertSentTo(west, { domain: { id: west.domain } })
      // A disabled provider does not count.
      await muster.changeProvider(id, { enabled: false })
      await assertSentTo(east, { domain: { id: east.domain } })
      assert.equal((await muster.call('DELETE', `/v3/identity_providers/${id}`)).status, 204)
    })
  })

  test('the only enabled provider needs no scope', async () => {
    await muster.changeProvider(west.provider, { enabled: false })
    await assertSentTo(east, undefined)
    await muster.changeProvider(west.provider, { enabled: true })
    await assertSentNowhere(undefined)
  })

  test('a ticket of one provider gives no access to the domain of another', async () => {
    const ticket = east.cas.ticketFor('stranger')
    const scope = { project: { id: west.project } }
    await muster.assertRefused(await muster.logIn(ticket, scope), /refused the ticket/)
    assert.deepEqual(askedAbout(ticket), ['west'])
  })
})
