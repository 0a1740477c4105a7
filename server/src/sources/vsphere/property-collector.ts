import { SourceError } from '../../domain/sources/source-error.ts'
import { paginate } from '../shared/paginate.ts'
import { childOf, childrenOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import type { Api } from './session.ts'
import { escapeXml, faultOf, refOf, refXml, SoapFault, type ObjectRef } from './soap.ts'

/** Properties to read, by type of object. A type includes its subtypes. */
export type PropertySpec = Readonly<Record<string, readonly string[]>>

/** An object with the requested properties that it has. */
export interface ObjectContent {
  readonly ref: ObjectRef
  readonly properties: ReadonlyMap<string, XmlElement>
  /** Whether the user may not read some of the properties. */
  readonly isDenied: boolean
}

const propertySets = (spec: PropertySpec) =>
  Object.entries(spec)
    .map(
      ([type, paths]) =>
        `<propSet><type>${type}</type>${paths.map((path) => `<pathSet>${path}</pathSet>`).join('')}</propSet>`,
    )
    .join('')

/** A filter of all objects in a view. */
export const viewFilter = (spec: PropertySpec, view: ObjectRef): string =>
  `${propertySets(spec)}<objectSet>${refXml('obj', view)}<skip>true</skip><selectSet xsi:type="TraversalSpec"><type>ContainerView</type><path>view</path><skip>false</skip></selectSet></objectSet>`

const objectFilter = (spec: PropertySpec, refs: readonly ObjectRef[]) =>
  `${propertySets(spec)}${refs.map((ref) => `<objectSet>${refXml('obj', ref)}</objectSet>`).join('')}`

/** Values of properties, by path. */
export const valuesOf = (elements: readonly XmlElement[]): ReadonlyMap<string, XmlElement> =>
  new Map(
    elements.flatMap((element) => {
      const value = childOf(element, 'val')
      return value ? [[textOf(element, 'name'), value]] : []
    }),
  )

export function requireRef(element: XmlElement | undefined, host: string): ObjectRef {
  const ref = refOf(element)
  if (ref) return ref
  throw new SourceError('invalid-response', `${host} lists an object without an id.`)
}

function readObject(element: XmlElement, host: string): ObjectContent {
  const missing = childrenOf(element, 'missingSet')
  const faults = new Set(missing.map((one) => faultOf(childOf(one, 'fault', 'fault'))))
  if (faults.has('NotAuthenticated'))
    throw new SoapFault('NotAuthenticated', host, 'RetrievePropertiesEx')
  return {
    ref: requireRef(childOf(element, 'obj'), host),
    properties: valuesOf(childrenOf(element, 'propSet')),
    isDenied: faults.has('NoPermission'),
  }
}

/** Creates a view of all objects of these types. It ends with the session. */
export function createView(api: Api, types: readonly string[]): Promise<ObjectRef> {
  const container = refXml('container', api.manager('rootFolder'))
  const listed = types.map((type) => `<type>${type}</type>`).join('')
  const parameters = `${container}${listed}<recursive>true</recursive>`
  return api.create('CreateContainerView', api.manager('viewManager'), parameters)
}

/** All objects of these types that the user may see. */
export async function listRefs(api: Api, types: readonly string[]): Promise<readonly ObjectRef[]> {
  const view = await createView(api, types)
  try {
    const [content] = await retrieve(api, objectFilter({ ContainerView: ['view'] }, [view]), 1)
    const list = content?.ref.id === view.id ? content.properties.get('view') : undefined
    if (!list) throw new SourceError('invalid-response', `${api.host} returned no list.`)
    return list.children.map((element) => requireRef(element, api.host))
  } finally {
    await api.destroy('DestroyView', view)
  }
}

/** Reads properties of objects. Those that do not exist are left out. */
export async function readObjects(
  api: Api,
  spec: PropertySpec,
  refs: readonly ObjectRef[],
): Promise<readonly ObjectContent[]> {
  const filter = `${objectFilter(spec, refs)}<reportMissingObjectsInResults>true</reportMissingObjectsInResults>`
  const found = await retrieve(api, filter, refs.length)
  const requested = new Set(refs.map(({ id }) => id))
  if (found.every(({ ref }) => requested.has(ref.id))) return found
  throw new SourceError('invalid-response', `${api.host} returned an unrequested object.`)
}

/** Whether an object exists, according to vSphere. */
async function findState(api: Api, ref: ObjectRef): Promise<'present' | 'denied' | 'missing'> {
  try {
    const [found] = await retrieve(api, objectFilter({ [ref.type]: ['name'] }, [ref]), 1)
    if (found) return 'present'
  } catch (error) {
    if (!(error instanceof SoapFault)) throw error
    if (error.fault === 'ManagedObjectNotFound') return 'missing'
    if (error.fault === 'NoPermission') return 'denied'
    throw error
  }
  throw new SourceError('incomplete', `${api.host} neither returns ${ref.id} nor denies it.`)
}

/** Throws if the user can see one of these objects: the list without it was incomplete. */
export async function requireHidden(api: Api, refs: readonly ObjectRef[]): Promise<void> {
  for (const ref of refs) {
    if ((await findState(api, ref)) !== 'present') continue
    throw new SourceError('incomplete', `${api.host} left ${ref.type} ${ref.id} out of a list.`)
  }
}

/**
 * Whether an object does not exist, which differs from not being allowed to see it. A vCenter that has no root
 * either is not the one that was read before.
 */
export async function isDeleted(api: Api, ref: ObjectRef): Promise<boolean> {
  if ((await findState(api, ref)) !== 'missing') return false
  if ((await findState(api, api.manager('rootFolder'))) !== 'missing') return true
  throw new SourceError('incomplete', `${api.host} has neither ${ref.id} nor a root folder.`)
}

/** Reads all pages of what a filter selects. vSphere limits the size of pages itself. */
async function retrieve(
  api: Api,
  filter: string,
  requested: number,
): Promise<readonly ObjectContent[]> {
  const collector = api.manager('propertyCollector')
  const specification = `<specSet>${filter}</specSet><options/>`
  const paging = {
    what: `objects at ${api.host}`,
    idOf: ({ ref }: ObjectContent) => ref.id,
    async call(token: string | undefined) {
      const response = await (token === undefined
        ? api.call('RetrievePropertiesEx', collector, specification)
        : api.call('ContinueRetrievePropertiesEx', collector, `<token>${escapeXml(token)}</token>`))
      const page = childOf(response, 'returnval')
      // Without a result there is no page. After a token there is always one.
      if (!page) return { items: token === undefined ? [] : undefined, next: undefined }
      return {
        items: childrenOf(page, 'objects').map((element) => readObject(element, api.host)),
        next: textOf(page, 'token'),
      }
    },
  }
  const found: ObjectContent[] = []
  for await (const objects of paginate(paging)) {
    found.push(...objects)
    if (found.length > requested) {
      throw new SourceError('incomplete', `The list of ${paging.what} is too long.`)
    }
  }
  return found
}
