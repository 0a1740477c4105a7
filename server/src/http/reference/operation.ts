import { STATUS_CODES } from 'node:http'
import type { OpenApiDocument } from '@muster/contract'
import {
  schemesOf,
  type Access,
  type AnswerObject,
  type DocumentedOperation,
  type MediaObject,
} from './document.ts'
import { curlCommand, highlightJson, layOutJson, renderSample } from './example.ts'
import { html, inlineProse, prose, sentence, table, type Html, type Insertable } from './html.ts'
import { renderParameters } from './parameters.ts'
import { renderFieldTree, typeName, type Schema } from './schema.ts'

/** Longer answers would push what follows out of sight, and wait to be opened. */
const mostLinesShown = 24

const accessWords: Readonly<Record<Access, string>> = {
  public: 'Public',
  token: 'Needs a token',
  either: 'Token, or none',
  session: 'Needs a session',
}

/** The method of an operation as a badge; the word says it, the colour only helps. */
export const renderMethod = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`

/** All there is to know about one operation: on the left what it is, on the right how to call it. */
export function renderOperation(operation: DocumentedOperation, document: OpenApiDocument): Html {
  const { id, method, path, access } = operation
  return html`<article class="operation pair" id="${id}" aria-labelledby="${id}-name">
    <div class="facts">
      <h3 id="${id}-name"><a href="#${id}">${operation.summary}</a></h3>
      <p class="route">
        ${renderMethod(method)} <code>${breakable(path)}</code>
        <span class="access">${accessWords[access]}</span>
      </p>
      ${prose(operation.description)} ${renderParameters(operation, document)}
      ${operation.body && renderRequestBody(operation.body)}
      ${operation.answers.map(([status, answer]) => renderAnswer(status, answer, document))}
      <p class="otherwise">Any other status is an error: see <a href="#errors">Errors</a>.</p>
    </div>
    <div class="samples">${renderSamples(operation, document)}</div>
  </article> `
}

/** A long path may break before each of its steps. */
const breakable = (path: string): Insertable =>
  path.split(/(?=\/)/).map((step) => html`<wbr />${step}`)

function renderRequestBody({ schema }: MediaObject): Html {
  const { additionalProperties } = schema as Schema
  return html`<h4>Request body</h4>
    <p class="meta">
      <code>application/json</code
      >${additionalProperties === false && ' · fields not listed here are refused'}
    </p>
    ${renderFieldTree(schema, 'request')}`
}

function renderAnswer(status: number, answer: AnswerObject, document: OpenApiDocument): Html {
  const content = Object.entries(answer.content ?? {})
  return html`<h4><span class="status">${status}</span> ${STATUS_CODES[status]}</h4>
    <p>${sentence(answer.description)}</p>
    ${content.map(([type, media]) => renderAnswerBody(type, media))}
    ${content.length === 0 && html`<p class="meta">No body</p>`}
    ${renderAnswerHeaders(answer, document)}`
}

function renderAnswerBody(contentType: string, { schema }: MediaObject): Html {
  const tree = renderFieldTree(schema, 'answer')
  if (!tree) return html`<p class="meta"><code>${contentType}</code> · ${typeName(schema)}</p>`
  return html`<p class="meta"><code>${contentType}</code></p>
    <details class="body">
      <summary>Fields of the body</summary>
      ${tree}
    </details>`
}

/** Headers that every answer has are told once, in a section of their own. */
function renderAnswerHeaders({ headers }: AnswerObject, document: OpenApiDocument): Insertable {
  const everywhere = Object.keys(document.components.responses.Error.headers)
  const own = Object.entries(headers).filter(([name]) => !everywhere.includes(name))
  return own.length > 0 && renderHeaderTable(Object.fromEntries(own))
}

/** Response headers and what they say. */
export const renderHeaderTable = (headers: AnswerObject['headers']): Html =>
  table(
    ['Header', 'Meaning'],
    Object.entries(headers).map(([name, { description }]) => [name, inlineProse(description)]),
  )

function renderSamples(operation: DocumentedOperation, document: OpenApiDocument): Insertable {
  const example = operation.body?.example
  return [
    renderSample('Call', renderCurl(operation, document)),
    example !== undefined && renderSample('Request', highlightJson(layOutJson(example))),
    operation.answers.map(([status, answer]) => renderAnswerExamples(status, answer)),
  ]
}

/** A call with everything it cannot do without. */
export function renderCurl(operation: DocumentedOperation, document: OpenApiDocument): string {
  const { method, path, address, parameters, body } = operation
  const needed = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place && parameter.required)
      .map(({ name = '' }) => name)
  return curlCommand({
    method,
    path,
    address,
    query: needed('query'),
    headers: [
      ...schemesOf(operation, document).map((scheme) =>
        scheme.in === 'cookie' ? 'Cookie' : scheme.name,
      ),
      ...needed('header'),
    ],
    body: body?.example,
  })
}

const renderAnswerExamples = (status: number, { content = {} }: AnswerObject): Insertable =>
  Object.values(content)
    .filter(({ example }) => example !== undefined)
    .map(({ example }) => renderAnswerExample(status, layOutJson(example)))

function renderAnswerExample(status: number, json: string): Html {
  const name = `Answer ${status}`
  const lines = json.split('\n').length
  if (lines <= mostLinesShown) return renderSample(name, highlightJson(json))
  return html`<details class="sample">
    <summary>${name} <span class="lines">${lines} lines</span></summary>
    <pre tabindex="0"><code>${highlightJson(json)}</code></pre>
  </details> `
}
