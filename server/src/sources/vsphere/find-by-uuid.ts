import { childrenOf } from '../shared/parse-xml.ts'
import { compareIds } from './identities.ts'
import type { Api } from './session.ts'
import { escapeXml, refOf, type ObjectRef } from './soap.ts'

/** The UUID in the external id of a server, see `Identities`. */
export const uuidOfServer = (externalId: string): string => externalId.split('/')[0] ?? ''

/** All virtual machines that vSphere finds by a UUID, oldest first. */
export async function findByUuid(api: Api, uuid: string): Promise<readonly ObjectRef[]> {
  const parameters = `<uuid>${escapeXml(uuid)}</uuid><vmSearch>true</vmSearch><instanceUuid>true</instanceUuid>`
  const response = await api.call('FindAllByUuid', api.manager('searchIndex'), parameters)
  return childrenOf(response, 'returnval')
    .flatMap((element) => refOf(element) ?? [])
    .toSorted((one, other) => compareIds(one.id, other.id))
}
