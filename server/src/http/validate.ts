import type { BodyOf, FieldProblem, Operation } from '@muster/contract'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import { PlatformError } from '../domain/error.ts'
import { lowerCaseKeys, asSpelled } from './key-case.ts'

const maxProblems = 10

const ajv = new Ajv({
  allErrors: true,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  strict: false,
  validateFormats: false,
  // Adds the schema to errors, so that messages can include its description.
  verbose: true,
})

/** Compiles a schema at its first use, because most processes use few operations. */
export function compileSchema(schema: TSchema): () => ValidateFunction {
  let check: ValidateFunction | undefined
  return () => (check ??= ajv.compile(schema))
}

/** Validates bodies of an operation against the contract. Each error names its field. */
export function createBodyReader<Op extends Pick<Operation, 'id' | 'body' | 'caseInsensitiveKeys'>>(
  operation: Op,
) {
  const { body: schema, caseInsensitiveKeys } = operation
  const compiled = schema && compileSchema(schema)

  return function readBody(raw: unknown): BodyOf<Op> {
    if (!compiled) return undefined as BodyOf<Op>
    const check = compiled()
    const body = caseInsensitiveKeys ? lowerCaseKeys(raw, caseInsensitiveKeys) : raw
    if (!check(body)) throw invalidInput('body', raw, check.errors ?? [])
    return body as BodyOf<Op>
  }
}

/** An error with one entry for each invalid field, in the spelling of the caller. */
export function invalidInput(
  whole: 'body' | 'query',
  raw: unknown,
  errors: readonly ErrorObject[],
): PlatformError {
  const fields = errors.slice(0, maxProblems).map((error): FieldProblem => ({
    path: [...asSpelled(raw, pathOf(error)), ...memberOf(error)].join('.') || whole,
    problem: wording(error),
  }))
  const onlyMissing = errors.every(({ keyword }) => keyword === 'required')
  return new PlatformError(
    onlyMissing ? 'MissingParameterError' : 'InputParameterError',
    fields.map(({ path, problem }) => `${path} ${problem}`).join('; '),
    { fields },
  )
}

/** The path of the invalid value, in the spelling of the contract. */
const pathOf = ({ instancePath }: ErrorObject): string[] =>
  instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The missing or unknown member of that value. */
function memberOf({ keyword, params }: ErrorObject): string[] {
  if (keyword === 'required') return [params['missingProperty'] as string]
  if (keyword === 'additionalProperties') return [params['additionalProperty'] as string]
  return []
}

const article = (type: string) => (/^[aio]/.test(type) ? `an ${type}` : `a ${type}`)

function wording({ keyword, params, message, parentSchema, data }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return 'is not a known field'
    case 'type':
      return `must be ${article(String(params['type']))}`
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`
    case 'minLength':
      return 'must not be empty'
    case 'maxLength':
      return `must be at most ${params['limit']} characters`
    case 'minItems':
      return `must have at least ${params['limit']} items`
    case 'minProperties':
      return 'must have at least one field'
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`
    case 'pattern': {
      const { description } = parentSchema as { description?: string }
      return `has an invalid format${description === undefined ? '' : `: ${description}`}`
    }
    case 'minimum':
      return `must be at least ${params['limit']}`
    case 'maxItems':
      return `must have at most ${params['limit']} items, not ${(data as unknown[]).length}`
    default:
      return message ?? 'is not valid'
  }
}
