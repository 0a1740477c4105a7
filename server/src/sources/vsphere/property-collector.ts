import { SourceError } from '../../domain/sources/source-error.ts'
import { paginate } from '../shared/paginate.ts'
import { childOf, childrenOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import { requireManager, type Session } from './session.ts'
import { escapeXml, faultOf, refOf, refXml, SoapFault, type ObjectRef } from './soap.ts'

/** Properties to read, by type of object. A type includes its subtypes. */
export type PropertySpec = Readonly<Record<string, readonly string[]>>

/** An object with the requested properties that it has. */
export interface ObjectContent {
  readonly ref: ObjectRef
  readonly properties: ReadonlyMap<string, XmlElement>
  /** The faults of properties that the user may not read. */
  readonly denied: readonly string[]
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

function readObject(element: XmlElement, host: string): ObjectContent {
  const ref = refOf(childOf(element, 'obj'))
  if (!ref) throw new SourceError('invalid-response', `${host} lists an object without an id.`)
  const denied = childrenOf(element, 'missingSet').map((missing) =>
    faultOf(childOf(missing, 'fault', 'fault')),
  )
  if (denied.includes('NotAuthenticated'))
    throw new SoapFault('NotAuthenticated', host, 'RetrievePropertiesEx')
  return {
    ref,
    properties: valuesOf(childrenOf(element, 'propSet')),
    // An unset property is not an error.
    denied: denied.filter((fault) => fault === 'NoPermission'),
  }
}

/** Creates a view of all objects of these types. It ends with the session. */
export async function createView(
  session: Session,
  types: readonly string[],
  signal: AbortSignal,
): Promise<ObjectRef> {
  const { service, host } = session
  const container = refXml('container', requireManager(service, 'rootFolder', host))
  const listed = types.map((type) => `<type>${type}</type>`).join('')
  const response = await session.call(
    {
      method: 'CreateContainerView',
      self: requireManager(service, 'viewManager', host),
      parameters: `${container}${listed}<recursive>true</recursive>`,
    },
    signal,
  )
  const view = refOf(childOf(response, 'returnval'))
  if (!view) throw new SourceError('invalid-response', `${host} created no view.`)
  return view
}

/** All objects of these types that the user may see. */
export const listRefs = (
  session: Session,
  types: readonly string[],
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> =>
  session.run(async () => {
    const view = await createView(session, types, signal)
    try {
      const [content] = await retrieve(
        session,
        objectFilter({ ContainerView: ['view'] }, [view]),
        signal,
      )
      const list = content?.ref.id === view.id ? content.properties.get('view') : undefined
      if (!list) throw new SourceError('invalid-response', `${session.host} returned no list.`)
      return list.children.map((element) => {
        const ref = refOf(element)
        if (ref) return ref
        throw new SourceError('invalid-response', `${session.host} lists an object without an id.`)
      })
    } finally {
      await session.call({ method: 'DestroyView', self: view }, signal).catch(() => {})
    }
  }, signal)

/** Reads properties of objects. Those that do not exist are left out. */
export const readObjects = (
  session: Session,
  spec: PropertySpec,
  refs: readonly ObjectRef[],
  signal: AbortSignal,
): Promise<readonly ObjectContent[]> =>
  session.run(async () => {
    const filter = `${objectFilter(spec, refs)}<reportMissingObjectsInResults>true</reportMissingObjectsInResults>`
    const found = await retrieve(session, filter, signal)
    const requested = new Set(refs.map(({ id }) => id))
    if (found.every(({ ref }) => requested.has(ref.id))) return found
    throw new SourceError('invalid-response', `${session.host} returned an unrequested object.`)
  }, signal)

/** Whether vSphere says that an object does not exist, which differs from not being allowed to see it. */
export async function isDeleted(
  session: Session,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<boolean> {
  const filter = objectFilter({ [ref.type]: ['name'] }, [ref])
  try {
    const [found] = await session.run(() => retrieve(session, filter, signal), signal)
    if (found) return false
  } catch (error) {
    if (!(error instanceof SoapFault)) throw error
    if (error.fault === 'ManagedObjectNotFound') return true
    if (error.fault === 'NoPermission') return false
    throw error
  }
  throw new SourceError('incomplete', `${session.host} neither returns ${ref.id} nor denies it.`)
}

/** Reads all pages of what a filter selects. vSphere limits the size of pages itself. */
async function retrieve(
  session: Session,
  filter: string,
  signal: AbortSignal,
): Promise<readonly ObjectContent[]> {
  const self = requireManager(session.service, 'propertyCollector', session.host)
  const pages = paginate<ObjectContent>({
    what: 'objects',
    idOf: ({ ref }) => ref.id,
    async call(token) {
      const call =
        token === undefined
          ? {
              method: 'RetrievePropertiesEx',
              self,
              parameters: `<specSet>${filter}</specSet><options/>`,
            }
          : {
              method: 'ContinueRetrievePropertiesEx',
              self,
              parameters: `<token>${escapeXml(token)}</token>`,
            }
      const page = childOf(await session.call(call, signal), 'returnval')
      // Without a result there is no page. After a token there is always one.
      if (!page) return { items: token === undefined ? [] : undefined, next: undefined }
      return {
        items: childrenOf(page, 'objects').map((element) => readObject(element, session.host)),
        next: textOf(page, 'token'),
      }
    },
  })
  return (await Array.fromAsync(pages)).flat()
}
