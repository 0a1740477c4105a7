import type { viewOperations } from '@muster/contract'
import type { ViewUseCases } from '../../domain/views/administer-views.ts'
import { nextLink, nextOffset } from '../next-link.ts'
import type { HandlersFor } from '../register-operations.ts'

/** Handlers for operations on saved views. */
export const createViewHandlers = (
  load: () => Promise<ViewUseCases>,
  { baseUrl }: { readonly baseUrl: string },
): HandlersFor<typeof viewOperations> => ({
  async listViews({ caller, query, url }) {
    const page = await (await load()).listViews(caller, query)
    return { status: 200, body: page, headers: nextLink(baseUrl + url, nextOffset(page)) }
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
