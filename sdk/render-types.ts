import { ErrorBody, gatewayOperations, operations, type Operation } from '@muster/contract'

/** The keywords of JSON Schema that the contract uses. */
interface Schema {
  readonly title?: string
  readonly description?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
  /** The type differs from what is checked. */
  readonly typedAs?: Schema
}

type AnyOperation = Pick<
  Operation,
  'id' | 'path' | 'summary' | 'description' | 'query' | 'headers' | 'body' | 'hasOptionalBody'
> & { readonly responses: Operation['responses'] }

const comment = (text: string | undefined): string =>
  text === undefined ? '' : `/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s*\n\s*/g, ' ')} */\n`

const literal = (value: unknown): string => JSON.stringify(value)

const key = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : literal(name))

/** Renders schemas as types. A schema with a title becomes an interface, which `interfaces` collects. */
function createRenderer() {
  const interfaces = new Map<string, string>()

  function render(schema: Schema): string {
    const { title, typedAs } = schema
    if (typedAs) return render(typedAs)
    if (title === undefined) return renderContent(schema)
    // `Error` is a class of JavaScript.
    const name = title === 'Error' ? 'ErrorBody' : title
    if (!interfaces.has(name)) {
      interfaces.set(name, '')
      interfaces.set(name, `interface ${name} ${renderContent(schema)}`)
    }
    return name
  }

  function renderContent(schema: Schema): string {
    if (schema.const !== undefined) return literal(schema.const)
    if (schema.enum) return '~unsafe' in schema ? 'string' : schema.enum.map(literal).join(' | ')
    if (schema.anyOf) return [...new Set(schema.anyOf.map(render))].join(' | ')
    if (schema.type === 'array') return renderArray(schema)
    if (schema.type === 'object') return renderObject(schema)
    if (schema.type === 'integer') return 'number'
    return schema.type ?? 'unknown'
  }

  function renderArray({ items = {}, minItems, maxItems }: Schema): string {
    const item = render(items)
    const isPair = minItems === 2 && maxItems === 2
    return isPair ? `[${item}, ${item}]` : `Array<${item}>`
  }

  function renderObject(schema: Schema): string {
    const { properties = {}, required, patternProperties, additionalProperties } = schema
    const [anyValue = additionalProperties] = Object.values(patternProperties ?? {})
    if (typeof anyValue === 'object') return `Readonly<Record<string, ${render(anyValue)}>>`
    const lines = Object.entries(properties).map(
      ([name, property]) =>
        `${comment(property.description)}${key(name)}${required?.includes(name) === true ? '' : '?'}: ${render(property)}`,
    )
    return `{\n${lines.join('\n')}\n}`
  }

  /** Every parameter may be undefined, and a list may be a single value. */
  function renderQuery({ properties = {} }: Schema): string {
    const lines = Object.entries(properties).map(([name, property]) => {
      const { items } = property
      const type = items ? `${render(items)} | readonly (${render(items)})[]` : render(property)
      return `${comment(property.description)}readonly ${key(name)}?: ${type} | undefined`
    })
    return `{\n${lines.join('\n')}\n}`
  }

  return { interfaces, render, renderQuery }
}

type Renderer = ReturnType<typeof createRenderer>

function renderInput(operation: AnyOperation, { render, renderQuery }: Renderer): string {
  const { path, query, headers, body, hasOptionalBody = false } = operation
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `readonly ${name}: string`)
  const areHeadersRequired = (headers?.required ?? []).length > 0
  const lines = [
    parameters.length === 0
      ? 'readonly parameters?: undefined'
      : `readonly parameters: { ${parameters.join('; ')} }`,
    `readonly query?: ${query ? renderQuery(query) : 'undefined'}`,
    body
      ? `readonly body${hasOptionalBody ? '?' : ''}: ${render(body)}`
      : 'readonly body?: undefined',
    headers
      ? `readonly headers${areHeadersRequired ? '' : '?'}: ${render(headers)} & RequestHeaders`
      : 'readonly headers?: RequestHeaders',
    'readonly signal?: AbortSignal | undefined',
  ]
  return `{\n${lines.join('\n')}\n}`
}

function renderOutput({ responses }: AnyOperation, { render }: Renderer): string {
  const bodies = Object.entries(responses)
    .filter(([status]) => status.startsWith('2') || status === '300')
    .map(([, { body }]) => (body ? render(body) : 'undefined'))
  return [...new Set(bodies)].join(' | ') || 'never'
}

/** The types of `src/contract.ts` without the contract, from the same schemas, with their descriptions. */
export function renderTypes(): string {
  const renderer = createRenderer()
  const all: readonly AnyOperation[] = [...operations, ...gatewayOperations]
  const entries = all.map((operation) => {
    const { id, summary, description } = operation
    const text = [`${summary}.`, description].filter((each) => each !== undefined).join(' ')
    const input = renderInput(operation, renderer)
    return `${comment(text)}readonly ${id}: {
readonly input: ${input}
readonly output: ${renderOutput(operation, renderer)}
}`
  })
  renderer.render(ErrorBody)
  return [
    'type RequestHeaders = Readonly<Record<string, string>>',
    ...[...renderer.interfaces.values()].map((text) => `export ${text}`),
    `/** The input and the output of each operation. */\nexport interface Api {\n${entries.join('\n')}\n}`,
    'export declare const routes: Readonly<Record<keyof Api, string>>\n',
  ].join('\n\n')
}
