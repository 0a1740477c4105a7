import {
  actionParameters,
  serverActions,
  type ServerAction,
  type TaskParameters,
} from '@muster/contract'
import { compileSchema, invalidInput } from '../validate.ts'

const schemas = Object.fromEntries(
  serverActions.map((action) => [action, compileSchema(actionParameters[action])]),
)

/** Checks the parameters of a batch against those of its action. */
export function validateActionParameters(action: ServerAction, params: TaskParameters): void {
  const check = schemas[action]?.()
  // An update without a field is an error of the single operation, too.
  if (check && !check(params)) {
    const errors = (check.errors ?? []).map((error) => ({
      ...error,
      instancePath: `/batch/params${error.instancePath}`,
    }))
    throw invalidInput('body', { batch: { params } }, errors)
  }
}
