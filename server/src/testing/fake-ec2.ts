import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { SourceSettings } from '../domain/sources/source.ts'
import { listElements } from '../sources/aws/list-elements.ts'
import type { Lifetime } from './spawn-muster.ts'

interface FakeInstance {
  readonly name: string
  readonly region?: string
  readonly state?: string
  readonly type?: string
  readonly owner?: string
  readonly launchTime?: string
  readonly tags?: Readonly<Record<string, string>>
}

interface Ec2Request {
  readonly action: string
  readonly region: string
  readonly form: URLSearchParams
  readonly authorization: string
}

/** Answers instead of the fake and returns true; otherwise the fake answers. */
type Misbehaviour = (request: Ec2Request, response: ServerResponse) => boolean

export interface FakeEc2 {
  readonly url: string
  readonly settings: SourceSettings
  /** By id. May be changed at any time. */
  readonly instances: Map<string, FakeInstance>
  readonly requests: Ec2Request[]
  regions: readonly string[]
  /** Instances on a page. */
  pageSize: number
  misbehave: Misbehaviour | undefined
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escape = (plain: string) => plain.replaceAll(/[&<>]/g, (sign) => entities[sign] ?? '')
const element = (name: string, ...content: readonly string[]) =>
  `<${name}>${content.join('')}</${name}>`
const value = (name: string, plain: string) => element(name, escape(plain))
const items = (name: string, list: readonly string[]) =>
  element(name, ...list.map((content) => element('item', content)))

/** An error in EC2's format. */
export function refuse(response: ServerResponse, status: number, code: string, message = ''): true {
  const error = element('Error', value('Code', code), value('Message', message))
  response.writeHead(status, { 'content-type': 'text/xml' })
  response.end(element('Response', element('Errors', error), value('RequestID', 'fake')))
  return true
}

export const succeed = (
  response: ServerResponse,
  action: string,
  ...content: readonly string[]
): true => {
  response.writeHead(200, { 'content-type': 'text/xml;charset=UTF-8' })
  response.end(element(`${action}Response`, value('requestId', 'fake'), ...content))
  return true
}

const describe = (
  id: string,
  {
    name,
    state = 'running',
    type = 't3.micro',
    tags,
    owner,
    launchTime = '2026-02-03T04:05:06.000Z',
  }: FakeInstance,
) =>
  element(
    'item',
    value('ownerId', owner ?? '210987654321'),
    items('instancesSet', [
      [
        value('instanceId', id),
        value('instanceType', type),
        element('instanceState', state === '' ? '' : value('name', state)),
        value('launchTime', launchTime),
        items(
          'tagSet',
          Object.entries({ Name: name, ...tags }).map(
            ([key, content]) => value('key', key) + value('value', content),
          ),
        ),
      ].join(''),
    ]),
  )

/**
 * Implements just enough of EC2's query protocol to produce faults that neither a real EC2 nor an emulator
 * can produce. Its successful responses prove nothing.
 */
export async function startFakeEc2(lifetime: Lifetime): Promise<FakeEc2> {
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  lifetime.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakeEc2 = {
    url,
    settings: {
      address: url,
      credentials: {
        access_key_id: 'AKIAFAKE',
        secret_access_key: 'fake & secret'.replaceAll(' ', '+'),
      },
      options: {},
    },
    instances: new Map(),
    requests: [],
    regions: ['eu-west-1'],
    pageSize: 100,
    misbehave: undefined,
  }

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(message))
    const { authorization = '' } = message.headers
    const region = /Credential=[^/]+\/\d+\/([^/]+)/.exec(authorization)?.[1] ?? ''
    const request = { action: form.get('Action') ?? '', region, form, authorization }
    fake.requests.push(request)
    if (fake.misbehave?.(request, response) !== true) behave(request, response)
  }

  function behave({ action, region, form }: Ec2Request, response: ServerResponse): void {
    switch (action) {
      case 'DescribeRegions':
        succeed(
          response,
          action,
          items(
            'regionInfo',
            fake.regions.map((name) => value('regionName', name)),
          ),
        )
        return
      case 'DescribeInstances':
        describeInstances(region, form, response)
        return
      case 'DescribeInstanceTypes': {
        const size =
          value('instanceType', 't3.micro') +
          element('vCpuInfo', value('defaultVCpus', '2')) +
          element('memoryInfo', value('sizeInMiB', '1024'))
        succeed(response, action, items('instanceTypeSet', [size]))
        return
      }
      case 'DescribeInstanceAttribute': {
        const name = form.get('Attribute') ?? ''
        const content = name === 'disableApiTermination' ? 'false' : 'stop'
        succeed(response, action, element(name, value('value', content)))
        return
      }
      default:
        succeed(response, action, element(listElements[action] ?? ''))
    }
  }

  function describeInstances(
    region: string,
    form: URLSearchParams,
    response: ServerResponse,
  ): void {
    const wanted = [...form].flatMap(([key, id]) => (key.startsWith('InstanceId.') ? [id] : []))
    const filtered = [...form].flatMap(([key, id]) =>
      key.startsWith('Filter.1.Value.') ? [id] : [],
    )
    const all = [...fake.instances].filter(
      ([id, { region: place = 'eu-west-1' }]) =>
        place === region &&
        (wanted.length === 0 || wanted.includes(id)) &&
        (filtered.length === 0 || filtered.includes(id)),
    )
    const unknown = wanted.filter((id) => !all.some(([known]) => known === id))
    if (unknown.length > 0) {
      const message = `The instance IDs '${unknown.join(', ')}' do not exist`
      refuse(response, 400, 'InvalidInstanceID.NotFound', message)
      return
    }
    const start = Number(form.get('NextToken') ?? 0)
    // Like EC2: an unknown token must not look like the end of the list.
    if (Number.isNaN(start)) {
      refuse(response, 400, 'InvalidNextToken')
      return
    }
    const end = start + fake.pageSize
    const page = all.slice(start, end).map(([id, instance]) => describe(id, instance))
    succeed(
      response,
      'DescribeInstances',
      element('reservationSet', ...page),
      ...(end < all.length ? [value('nextToken', String(end))] : []),
    )
  }

  return fake
}
