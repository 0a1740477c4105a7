import type { OpenApiDocument } from '@muster/contract'
import { listOperations, schemesOf, type DocumentedOperation } from './document.ts'
import { html, joined, prose, table, type Html, type Insertable } from './html.ts'
import { renderKind, requiredMarker, type Schema } from './schema.ts'

type Parameter = Omit<DocumentedOperation['parameters'][number], 'schema'> & {
  readonly schema: Schema
}

/** From so many on, parameters that differ in nothing but their names are told together. */
const manyAlike = 4

/** From so many on, what an earlier operation of the chapter tells in full is not told again. */
const manyTold = 20

/** What a call takes besides its body. */
export function renderParameters(
  operation: DocumentedOperation,
  document: OpenApiDocument,
): Insertable {
  const told = findTold(operation, document)
  const own = operation.parameters.filter((parameter) => !told?.parameters.includes(parameter))
  const groups = [...Map.groupBy(own, meaningOf).values()]
  const alike = groups.filter(({ length }) => length >= manyAlike)
  const single: Parameter[] = [
    ...proofParameters(operation, document),
    ...own.filter((parameter) => !alike.some((group) => group.includes(parameter))),
  ]
  if (single.length === 0 && alike.length === 0) return undefined
  return html`<h4>Parameters</h4>
    ${single.length > 0 && renderTable(single)} ${alike.length > 0 && renderAlike(alike)}
    ${
      told &&
      html`<p>
        As in <a href="#${told.by.id}">${told.by.summary}</a>: ${renderNames(told.parameters)}
      </p>`
    }`
}

const proofParameters = (operation: DocumentedOperation, document: OpenApiDocument): Parameter[] =>
  schemesOf(operation, document).map(({ name, in: place, description }) => ({
    name,
    in: place,
    required: operation.access !== 'either',
    schema: { type: 'string', description },
  }))

/** All of a parameter but its name. */
const meaningOf = (parameter: Parameter): string => JSON.stringify({ ...parameter, name: '' })

/** What an operation has in common with one before it, where that is so much that nobody reads it twice. */
function findTold(operation: DocumentedOperation, document: OpenApiDocument) {
  if (operation.parameters.length < manyTold) return undefined
  const chapter = listOperations(document).filter(({ tag }) => tag === operation.tag)
  const earlier = chapter.slice(
    0,
    chapter.findIndex(({ id }) => id === operation.id),
  )
  return earlier
    .map((by) => {
      const known = new Set(by.parameters.map((parameter) => JSON.stringify(parameter)))
      const parameters = operation.parameters.filter((parameter) =>
        known.has(JSON.stringify(parameter)),
      )
      return { by, parameters }
    })
    .find(({ parameters }) => parameters.length >= manyTold)
}

const renderTable = (parameters: readonly Parameter[]): Html =>
  table(
    ['Name', 'In', 'Meaning'],
    parameters.map((parameter) => [
      parameter.name ?? '',
      parameter.in,
      describeParameter(parameter),
    ]),
  )

const describeParameter = ({ schema, required }: Parameter): Html =>
  html`<p>${renderKind(schema, required && requiredMarker)}</p>
    ${prose(schema.description)}`

/** Each group once, with all the names that mean it. */
const renderAlike = (groups: readonly (readonly Parameter[])[]): Html =>
  html`<ul class="fields" role="list">
    ${groups.map(
      (group) =>
        html`<li>
          <p>${renderNames(group)} in ${group[0]?.in}</p>
          ${group.slice(0, 1).map(describeParameter)}
        </li>`,
    )}
  </ul>`

const renderNames = (parameters: readonly Parameter[]): Insertable[] =>
  joined(
    parameters.map(({ name }) => html`<code>${name ?? ''}</code>`),
    ', ',
  )
