import { savedViews, type viewOperations } from '@muster/contract'
import type { ViewUseCases } from '../../domain/views/administer-views.ts'
import { queryFieldsOf, type QueryFields } from '../../domain/query/query-fields.ts'
import { readListQuery } from '../../domain/query/read-list-query.ts'
import { answerPlatformPage } from '../platform-list.ts'
import type { HandlersFor } from '../register-operations.ts'

const fields: QueryFields<string> = queryFieldsOf(savedViews)

/** Handlers for operations on saved views. */
export const createViewHandlers = (
  load: () => Promise<ViewUseCases>,
  { baseUrl }: { readonly baseUrl: string },
): HandlersFor<typeof viewOperations> => ({
  async listViews({ caller, query, url }) {
    const listQuery = readListQuery(fields, query, 'created_at')
    const page = await (await load()).listViews(caller, listQuery)
    return await answerPlatformPage('views', page, listQuery, baseUrl + url)
  },

  async getView({ caller, parameters }) {
    const view = await (await load()).getView(caller, parameters.id)
    return { status: 200, body: { view } }
  },

  async createView({ caller, body }) {
    const view = await (await load()).createView(caller, body.view)
    return { status: 201, body: { view } }
  },

  async updateView({ caller, parameters, body }) {
    const view = await (await load()).updateView(caller, parameters.id, body.view)
    return { status: 200, body: { view } }
  },

  async deleteView({ caller, parameters }) {
    await (await load()).deleteView(caller, parameters.id)
    return { status: 204 }
  },
})
