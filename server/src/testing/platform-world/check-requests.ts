import { newId } from '../../domain/new-id.ts'
import { at, change, finish, list, name, read } from './request-kinds.ts'

/** Requests of checks. */
export const checkRequests = {
  listChecks: list(
    ({ checkName }) => ({ query: { name: checkName } }),
    ({ checkId }) => checkId,
  ),
  getCheck: read(({ checkId }) => at(checkId)),
  listCheckViolations: read(({ checkId }) => at(checkId)),
  getOperatingSystems: read(),
  createCheck: change(['checks', 'events'], () => ({
    body: { check: { name: name(), q: 'status:unknown', scope: 'max' } },
  })),
  updateCheck: change(['checks', 'events'], ({ checkId }) => ({
    ...at(checkId),
    body: { check: { description: newId() } },
  })),
  deleteCheck: finish(['checks', 'events'], ({ checkId }) => at(checkId)),
}
