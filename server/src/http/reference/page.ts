import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { errorStatus, type ErrorBody, type OpenApiDocument } from '@muster/contract'
import { listOperations, serverAddress, type DocumentedOperation } from './document.ts'
import { highlightJson, layOutJson, renderSample } from './example.ts'
import { html, prose, sentence, table, trusted, type Html } from './html.ts'
import { renderLogin } from './login.ts'
import { renderHeaderTable, renderMethod, renderOperation } from './operation.ts'
import { renderFieldTree } from './schema.ts'

/** A browser hashes the style with its line ends made uniform, wherever this file was checked out. */
const style = readFileSync(new URL('./page.css', import.meta.url), 'utf8').replaceAll('\r\n', '\n')

const contentSecurityPolicy = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

const exampleError: ErrorBody = {
  code: errorStatus.MissingParameterError,
  class: 'MissingParameterError',
  details: 'auth.identity.methods is required',
  request_id: '0d5c9f9e-3c1b-4a57-9f27-6f3f8a1f2b10',
  time: '2026-05-04T08:00:00.000000Z',
  fields: [{ path: 'auth.identity.methods', problem: 'is required' }],
}

interface Chapter {
  readonly id: string
  readonly name: string
  readonly operations: readonly DocumentedOperation[]
}

/** The reference of the interface as one page, without scripts and with nothing from elsewhere. */
export function renderReferencePage(document: OpenApiDocument): {
  html: string
  contentSecurityPolicy: string
} {
  const { title } = document.info
  const chapters = chaptersOf(document)
  const login = renderLogin(document)
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} API reference</title>
        <meta name="description" content="${document.info.summary}" />
        ${trusted(`<style>${style}</style>`)}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        ${renderHeader(document)} ${renderContents(chapters, login !== undefined)}
        <main id="content" tabindex="-1">
          ${login} ${renderEveryAnswer(document)}
          ${chapters.map((chapter) => renderChapter(chapter, document))} ${renderErrors(document)}
        </main>
        <footer>
          <p>
            ${title} API, version ${document.info.version}. License: ${document.info.license.name}.
          </p>
        </footer>
      </body>
    </html> `
  return { html: page.markup, contentSecurityPolicy }
}

function chaptersOf(document: OpenApiDocument): Chapter[] {
  const operations = listOperations(document)
  return document.tags.map(({ name }) => ({
    id: `tag-${name.toLowerCase().replace(/\W+/g, '-')}`,
    name,
    operations: operations.filter(({ tag }) => tag === name),
  }))
}

function renderHeader(document: OpenApiDocument): Html {
  const { title, summary } = document.info
  const address = serverAddress(document)
  const openApiPath = '/openapi.json'
  return html`<header id="top">
    <p class="bar"><a href="#top">${title} API</a> <a href="#contents">Contents</a></p>
    <h1>${title} <span>API reference</span></h1>
    <p class="lead">${sentence(summary)}</p>
    <dl class="address">
      <div>
        <dt>Server</dt>
        <dd><code>${address}</code></dd>
      </div>
      ${
        document.paths[openApiPath] &&
        html`<div>
          <dt>For tools</dt>
          <dd><a href="${address}${openApiPath}">OpenAPI ${document.openapi}</a></dd>
        </div>`
      }
    </dl>
  </header>`
}

const renderContents = (chapters: readonly Chapter[], hasLogin: boolean): Html =>
  html`<nav id="contents" aria-labelledby="contents-name">
    <h2 id="contents-name">Contents</h2>
    <ul>
      ${hasLogin && html`<li><a href="#log-in">Log in</a></li> `}
      <li><a href="#every-answer">Every answer</a></li>
      ${chapters.map(
        ({ id, name, operations }) =>
          html`<li>
            <a href="#${id}">${name}</a>
            <ul>
              ${operations.map(
                (operation) =>
                  html`<li>
                    <a href="#${operation.id}"
                      ><span>${operation.summary}</span> ${renderMethod(operation.method)}</a
                    >
                  </li> `,
              )}
            </ul>
          </li> `,
      )}
      <li><a href="#errors">Errors</a></li>
    </ul>
  </nav>`

const renderChapter = ({ id, name, operations }: Chapter, document: OpenApiDocument): Html =>
  html`<section id="${id}" aria-labelledby="${id}-name">
    <h2 id="${id}-name">${name}</h2>
    ${operations.map((operation) => renderOperation(operation, document))}
  </section> `

const renderEveryAnswer = (document: OpenApiDocument): Html =>
  html`<section id="every-answer" aria-labelledby="every-answer-name">
    <h2 id="every-answer-name">Every answer</h2>
    <p>Whatever the operation and whatever its outcome, an answer has:</p>
    ${renderHeaderTable(document.components.responses.Error.headers)}
  </section> `

function renderErrors({ components }: OpenApiDocument): Html {
  const content = Object.entries(components.responses.Error.content)
  return html`<section id="errors" aria-labelledby="errors-name">
    <h2 id="errors-name">Errors</h2>
    <div class="pair">
      <div class="facts">
        ${prose('Every error has this body. Tell one from another by its `class`: the list is closed, and each class has one status.')}
        ${content.map(
          ([type, { schema }]) =>
            html`<p class="meta"><code>${type}</code></p>
              ${renderFieldTree(schema, 'answer')}`,
        )}
        <h3>Classes</h3>
        ${renderErrorTable()}
      </div>
      <div class="samples">
        ${renderSample(`Answer ${exampleError.code}`, highlightJson(layOutJson(exampleError)))}
      </div>
    </div>
  </section>`
}

function renderErrorTable(): Html {
  const errors = Object.entries(errorStatus).sort(([, left], [, right]) => left - right)
  return table(
    ['Class', 'Status'],
    errors.map(([name, status]) => [name, `${status} ${STATUS_CODES[status]}`]),
  )
}
