import { checks, checkViolations, type checkOperations } from '@muster/contract'
import type { CheckUseCases } from '../../domain/checks/administer-checks.ts'
import { queryFieldsOf, type QueryFields } from '../../domain/query/query-fields.ts'
import { readListQuery } from '../../domain/query/read-list-query.ts'
import { answerPlatformPage } from '../platform-list.ts'
import type { HandlersFor } from '../register-operations.ts'

const fields: QueryFields<string> = queryFieldsOf(checks)
const violationFields: QueryFields<string> = queryFieldsOf(checkViolations)

/** Handlers for operations on checks. */
export const createCheckHandlers = (
  load: () => Promise<CheckUseCases>,
  { baseUrl }: { readonly baseUrl: string },
): HandlersFor<typeof checkOperations> => ({
  async listChecks({ caller, query, url }) {
    const { violated_by: violatedBy, ...others } = query
    const listQuery = readListQuery(fields, others, 'created_at')
    const page = await (await load()).listChecks(caller, listQuery, violatedBy)
    return await answerPlatformPage('checks', page, listQuery, baseUrl + url)
  },

  async getCheck({ caller, parameters }) {
    const check = await (await load()).getCheck(caller, parameters.id)
    return { status: 200, body: { check } }
  },

  async listCheckViolations({ caller, parameters, query, url }) {
    const listQuery = readListQuery(violationFields, query, 'since')
    const page = await (await load()).listCheckViolations(caller, parameters.id, listQuery)
    return await answerPlatformPage('violations', page, listQuery, baseUrl + url)
  },

  async createCheck({ caller, body }) {
    const check = await (await load()).createCheck(caller, body.check)
    return { status: 201, body: { check } }
  },

  async updateCheck({ caller, parameters, body }) {
    const check = await (await load()).updateCheck(caller, parameters.id, body.check)
    return { status: 200, body: { check } }
  },

  async deleteCheck({ caller, parameters }) {
    await (await load()).deleteCheck(caller, parameters.id)
    return { status: 204 }
  },

  async getOperatingSystems({ query }) {
    const systems = (await load()).findOperatingSystems(query.os_name)
    return { status: 200, body: { operating_systems: systems } }
  },
})
