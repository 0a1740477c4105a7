import { after, before, describe } from 'node:test'
import type { SourceSettings } from '../../server/src/domain/sources/source.ts'
import { vsphereKind } from '../../server/src/sources/vsphere/vsphere-kind.ts'
import { describeConformance } from '../../server/src/testing/inventory-world/source-conformance.ts'
import { isNightly } from '../../server/src/testing/lanes.ts'
import { openVcsimClient } from './vcsim-client.ts'
import { startVcsim, type TestVcsim } from './start.ts'

type VcsimClient = Awaited<ReturnType<typeof openVcsimClient>>

/** An error as vSphere sends it. */
const soapFault = (fault: string) => ({
  status: 500,
  body: `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Body><s:Fault><faultcode>ServerFaultCode</faultcode><faultstring/><detail><${fault}Fault xmlns="urn:vim25" xsi:type="${fault}"/></detail></s:Fault></s:Body></s:Envelope>`,
})

const machinesOf = (body: string) =>
  [...body.matchAll(/<obj type="VirtualMachine">vm-(\d+)</g)].map(([, id]) => Number(id))

/** The simulator needs 16 ms of CPU time for each. */
const many = isNightly ? 2_000 : 500

describe('vSphere, as vcsim simulates it', () => {
  let vcsim: TestVcsim
  let large: TestVcsim
  let client: VcsimClient
  before(async () => {
    vcsim = await startVcsim({ pools: 1, folders: 1 })
    client = await openVcsimClient(vcsim)
    large = await startVcsim({ vms: 1, copies: many - 2 })
  })
  after(async () => {
    await vcsim.stop()
    await large.stop()
  })
  const at = (address: string, { settings }: TestVcsim = vcsim): SourceSettings => ({
    ...settings,
    address,
  })

  describeConformance(
    vsphereKind,
    () => ({
      settings: vcsim.settings,
      wrongSettings: {
        ...vcsim.settings,
        credentials: { ...vcsim.settings.credentials, password: 'not the password' },
      },
      unreachableSettings: at('https://127.0.0.1:1'),
      create: (name) => client.create(name),
      stop: (id) => client.stop(id),
      start: (id) => client.start(id),
      remove: (id) => client.remove(id),
      rename: (id, name) => client.rename(id, name),
      breakOne: 'vcsim has no machines that cannot be read; read-machines.test.ts has fake ones.',
      createOdd: async () => [
        await client.createFrom(
          '<name>bare</name><files><vmPathName>[LocalDS_0]</vmPathName></files>',
        ),
        await client.createFrom(
          `<name>${'long '.repeat(16)}</name><annotation>${'very long text '.repeat(4_000)}</annotation><files><vmPathName>[LocalDS_0]</vmPathName></files>`,
        ),
      ],
      createMany: async () => ({ settings: large.settings, count: many }),
    }),
    {
      http: () => ({
        upstream: vcsim.url,
        settingsAt: (url) => at(url),
        listsServers: ({ body }) =>
          body.includes('<RetrievePropertiesEx') && body.includes('<type>VirtualMachine<'),
        withoutList: (body) => body.replace(/<returnval>.*<\/returnval>/s, ''),
        withWrongTotal: 'vSphere sends no totals.',
        errors: {
          credentials: soapFault('InvalidLogin'),
          expired: soapFault('NotAuthenticated'),
          forbidden: soapFault('NoPermission'),
          throttled: { status: 429, headers: { 'retry-after': '1' } },
        },
        renewsSession: true,
        paging: {
          prepare: async () => {
            for (let number = 0; number < 60; number += 1) await client.create(`paged-${number}`)
          },
          settingsAt: (url) => at(url),
          isLaterPage: ({ body }) => machinesOf(body).length > 0 && machinesOf(body).length < 50,
          create: (name) => client.create(name),
          remove: (id) => client.remove(id),
        },
      }),
    },
  )
})
