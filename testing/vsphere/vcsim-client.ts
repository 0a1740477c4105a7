import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestVcsim } from './start.ts'

const escapeXml = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

const first = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? ''

/** Part of a specification in XML. */
export const addDevice = (type: string, content: string, operation = '') =>
  `<deviceChange><operation>add</operation>${operation}<device xsi:type="${type}">${content}</device></deviceChange>`

const devicesOf = (folder: string, datastore: string, network: string) =>
  [
    addDevice(
      'ParaVirtualSCSIController',
      '<key>1000</key><busNumber>0</busNumber><sharedBus>noSharing</sharedBus>',
    ),
    addDevice(
      'VirtualDisk',
      `<key>-1</key><backing xsi:type="VirtualDiskFlatVer2BackingInfo"><fileName>${folder}</fileName><datastore type="Datastore">${datastore}</datastore><diskMode>persistent</diskMode><thinProvisioned>true</thinProvisioned></backing><controllerKey>1000</controllerKey><unitNumber>0</unitNumber><capacityInKB>1048576</capacityInKB>`,
      '<fileOperation>create</fileOperation>',
    ),
    addDevice(
      'VirtualVmxnet3',
      `<key>-9</key><backing xsi:type="VirtualEthernetCardNetworkBackingInfo"><deviceName>VM Network</deviceName><network type="Network">${network}</network></backing><addressType>generated</addressType>`,
    ),
  ].join('')

/** Changes what is in vcsim, by plain requests of its SOAP and REST APIs. */
export async function openVcsimClient({ url, certificate, settings }: TestVcsim) {
  const { username = '', password = '' } = settings.credentials
  let cookie = ''
  let restSession = ''

  async function send(path: string, method: string, headers: Record<string, string>, body = '') {
    const outgoing = request(new URL(path, url), { method, headers, ca: certificate })
    outgoing.end(body)
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    const text = (await Array.fromAsync(response as AsyncIterable<Buffer>)).join('')
    return { status: response.statusCode, headers: response.headers, text }
  }

  async function soap(method: string, type: string, id: string, parameters = ''): Promise<string> {
    const envelope = `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><s:Body><${method} xmlns="urn:vim25"><_this type="${type}">${id}</_this>${parameters}</${method}></s:Body></s:Envelope>`
    const headers = { 'content-type': 'text/xml', ...(cookie !== '' && { cookie }) }
    const response = await send('/sdk', 'POST', headers, envelope)
    if (response.status !== 200) throw new Error(`${method}: ${response.text}`)
    cookie = response.headers['set-cookie']?.[0]?.split(';')[0] ?? cookie
    return response.text
  }

  /** What is in a list of objects, in XML: one element for each object. */
  const retrieve = (type: string, ids: readonly string[], paths: readonly string[]) =>
    soap(
      'RetrievePropertiesEx',
      'PropertyCollector',
      managed('propertyCollector'),
      `<specSet><propSet><type>${type}</type>${paths.map((path) => `<pathSet>${path}</pathSet>`).join('')}</propSet>${ids.map((id) => `<objectSet><obj type="${type}">${id}</obj></objectSet>`).join('')}</specSet><options/>`,
    )

  /** The value of a property, in XML. */
  const property = async (type: string, id: string, path: string) =>
    first(await retrieve(type, [id], [path]), /<val[^>]*>(.*)<\/val>/s)

  /** Simple properties of all objects of a type, by their paths. */
  async function propertiesOfAll(type: string, paths: readonly string[]) {
    const text = await retrieve(type, await list(type), paths)
    return (text.match(/<objects>.*?<\/objects>/gs) ?? []).map(
      (object) => (path: string) =>
        first(object, new RegExp(`<name>${path}</name><val[^>]*>([^<]*)<`)),
    )
  }

  /** Runs a task to its end and returns its result. */
  async function run(method: string, type: string, id: string, parameters = ''): Promise<string> {
    const info = await runTask(method, type, id, parameters)
    if (info.includes('<state>error'))
      throw new Error(`${method}: ${first(info, /<fault [^>]*type="(\w+)"/)}`)
    return first(info, /<result[^>]*>([^<]+)</)
  }

  /** The result of a task that has ended. */
  async function runTask(method: string, type: string, id: string, parameters = '') {
    const task = first(await soap(`${method}_Task`, type, id, parameters), /type="Task">([^<]+)</)
    const end = Date.now() + 60_000
    for (;;) {
      const info = await property('Task', task, 'info')
      if (/<state>(?:success|error)/.test(info)) return info
      if (Date.now() > end) throw new Error(`${method} does not end: ${info}`)
      await pause(5)
    }
  }

  const content = await soap('RetrieveServiceContent', 'ServiceInstance', 'ServiceInstance')
  const managed = (name: string) => first(content, new RegExp(`<${name} type="[^"]+">([^<]+)<`))
  await soap(
    'Login',
    'SessionManager',
    managed('sessionManager'),
    `<userName>${escapeXml(username)}</userName><password>${escapeXml(password)}</password>`,
  )

  async function list(type: string): Promise<readonly string[]> {
    const view = first(
      await soap(
        'CreateContainerView',
        'ViewManager',
        managed('viewManager'),
        `<container type="Folder">${managed('rootFolder')}</container><type>${type}</type><recursive>true</recursive>`,
      ),
      /<returnval[^>]*>([^<]+)</,
    )
    const refs = await property('ContainerView', view, 'view')
    await soap('DestroyView', 'ContainerView', view)
    return [...refs.matchAll(/<ManagedObjectReference[^>]*>([^<]+)</g)].map(([, id = '']) => id)
  }

  const idOf = (uuid: string) =>
    soap(
      'FindByUuid',
      'SearchIndex',
      managed('searchIndex'),
      `<uuid>${uuid}</uuid><vmSearch>true</vmSearch><instanceUuid>true</instanceUuid>`,
    ).then((text) => first(text, /<returnval[^>]*>([^<]+)</))
  const onMachine = async (method: string, uuid: string, parameters = '') =>
    run(method, 'VirtualMachine', await idOf(uuid), parameters)
  const uuidOf = (id: string) => property('VirtualMachine', id, 'config.instanceUuid')

  /** Creates a virtual machine with a disk and a network card, starts it and returns its UUID. Copies do not always end. */
  async function create(name: string): Promise<string> {
    const [datastore = ''] = await list('Datastore')
    const network = (await list('Network')).find((id) => id.startsWith('network-')) ?? ''
    const folder = `[${await property('Datastore', datastore, 'name')}]`
    const uuid = await createFrom(
      `<name>${escapeXml(name)}</name><guestId>otherGuest</guestId><files><vmPathName>${folder}</vmPathName></files>${devicesOf(folder, datastore, network)}`,
    )
    await onMachine('PowerOnVM', uuid)
    return uuid
  }

  /** Creates a virtual machine from a specification in XML. It is off. */
  async function createFrom(spec: string, pool?: string): Promise<string> {
    const [neighbour = ''] = await list('VirtualMachine')
    const [anyPool = ''] = await list('ResourcePool')
    const folder = await property('VirtualMachine', neighbour, 'parent')
    const parameters = `<config>${spec}</config><pool type="ResourcePool">${pool ?? anyPool}</pool>`
    return uuidOf(await run('CreateVM', 'Folder', folder, parameters))
  }

  async function rest(path: string, method = 'GET', body?: object): Promise<string> {
    const login = Buffer.from(`${username}:${password}`).toString('base64')
    if (restSession === '') {
      const session = await send('/rest/com/vmware/cis/session', 'POST', {
        authorization: `Basic ${login}`,
      })
      restSession = (JSON.parse(session.text) as { value: string }).value
    }
    const headers = { 'vmware-api-session-id': restSession, 'content-type': 'application/json' }
    const response = await send(
      `/rest/com/vmware/cis/tagging/${path}`,
      method,
      headers,
      body && JSON.stringify(body),
    )
    if (response.status !== 200) throw new Error(`${path}: ${response.text}`)
    return response.text === ''
      ? ''
      : ((JSON.parse(response.text) as { value: string }).value ?? '')
  }

  return {
    soap,
    run,
    runTask,
    list,
    property,
    propertiesOfAll,
    managed,
    idOf,
    uuidOf,
    create,
    createFrom,
    rest,
    onMachine,
    start: async (uuid: string) => void (await onMachine('PowerOnVM', uuid)),
    stop: async (uuid: string) => void (await onMachine('PowerOffVM', uuid)),
    rename: async (uuid: string, name: string) =>
      void (await onMachine('Rename', uuid, `<newName>${escapeXml(name)}</newName>`)),
    async remove(uuid: string) {
      const id = await idOf(uuid)
      const state = await property('VirtualMachine', id, 'runtime.powerState')
      if (state === 'poweredOn') await run('PowerOffVM', 'VirtualMachine', id)
      await run('Destroy', 'VirtualMachine', id)
    },
    /** Changes the configuration by a specification in XML. */
    reconfigure: (uuid: string, spec: string) =>
      onMachine('ReconfigVM', uuid, `<spec>${spec}</spec>`),
    endSession: (key: string) =>
      soap(
        'TerminateSession',
        'SessionManager',
        managed('sessionManager'),
        `<sessionId>${key}</sessionId>`,
      ),
    /** The key of the session of this client. */
    ownSession: async () =>
      first(
        await property('SessionManager', managed('sessionManager'), 'currentSession'),
        /<key>([^<]+)</,
      ),
    sessions: async () =>
      [
        ...(await property('SessionManager', managed('sessionManager'), 'sessionList')).matchAll(
          /<key>([^<]+)<\/key>/g,
        ),
      ].map(([, key = '']) => key),
  }
}
