import type { cloudAccountOperations } from '@muster/contract'
import {
  accountFields,
  providerFields,
  type CloudAccountUseCases,
} from '../../domain/sources/administer-accounts.ts'
import type { HandlersFor } from '../register-operations.ts'
import { readListQuery } from '../../domain/query/read-list-query.ts'
import { readKeystoneQuery } from '../administration/pages.ts'
import { nextLink } from '../next-link.ts'
import { answerPlatformPage } from '../platform-list.ts'

/** Handlers for operations on cloud accounts. */
export const createCloudAccountHandlers = (
  use: CloudAccountUseCases,
  { baseUrl }: { readonly baseUrl: string },
): HandlersFor<typeof cloudAccountOperations> => ({
  async listCloudAccounts({ caller, query, url }) {
    const listQuery = readListQuery(accountFields, query, 'created_at')
    const page = await use.listCloudAccounts(caller, listQuery)
    return await answerPlatformPage('cloudaccounts', page, listQuery, baseUrl + url)
  },

  async listCloudProviders({ caller, query, url }) {
    const listQuery = readKeystoneQuery(providerFields, query, undefined)
    const page = await use.listCloudProviders(caller, listQuery)
    return await answerPlatformPage('providers', page, listQuery, baseUrl + url)
  },

  async getCloudAccount({ parameters }) {
    return { status: 200, body: { cloudaccount: await use.getCloudAccount(parameters.id) } }
  },

  async getCloudAccountGaps({ parameters, query, url }) {
    const { items, limit, next } = await use.getCloudAccountGaps(parameters.id, query)
    return {
      status: 200,
      body: { gaps: items, limit },
      headers: nextLink(baseUrl + url, next === undefined ? undefined : { marker: next }),
    }
  },

  async getCloudAccountSyncs({ parameters }) {
    return { status: 200, body: { syncs: await use.getCloudAccountSyncs(parameters.id) } }
  },

  async createCloudAccount({ caller, body }) {
    const cloudaccount = await use.createCloudAccount(caller, body.cloudaccount)
    return { status: 201, body: { cloudaccount } }
  },

  async testNewCloudAccount({ caller, body }) {
    const test = await use.testNewCloudAccount(caller, body.cloudaccount)
    return { status: 200, body: { test } }
  },

  async updateCloudAccount({ caller, parameters, body }) {
    const cloudaccount = await use.updateCloudAccount(caller, parameters.id, body.cloudaccount)
    return { status: 200, body: { cloudaccount } }
  },

  async enableCloudAccount({ caller, parameters }) {
    const cloudaccount = await use.updateCloudAccount(caller, parameters.id, { enabled: true })
    return { status: 200, body: { cloudaccount } }
  },

  async disableCloudAccount({ caller, parameters }) {
    const cloudaccount = await use.updateCloudAccount(caller, parameters.id, { enabled: false })
    return { status: 200, body: { cloudaccount } }
  },

  async deleteCloudAccount({ caller, parameters, query }) {
    await use.deleteCloudAccount(caller, parameters.id, query.evict === true)
    return { status: 204 }
  },

  async syncCloudAccount({ caller, parameters }) {
    const cloudaccount = await use.syncCloudAccount(caller, parameters.id)
    return { status: 202, body: { cloudaccount } }
  },

  async confirmGoneServers({ caller, parameters }) {
    const cloudaccount = await use.confirmGoneServers(caller, parameters.id)
    return { status: 202, body: { cloudaccount } }
  },

  async claimServers({ caller, parameters, body }) {
    const claim = await use.claimServers(caller, parameters.id, body.claim)
    return { status: 200, body: { claim } }
  },

  async testCloudAccount({ caller, parameters }) {
    return { status: 200, body: { test: await use.testCloudAccount(caller, parameters.id) } }
  },

  async previewCloudAccountMapping({ parameters, body }) {
    const { mapping, project_id } = body
    const preview = await use.previewCloudAccountMapping(parameters.id, mapping, project_id)
    return { status: 200, body: { preview } }
  },
})
