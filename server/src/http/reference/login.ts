import type { OpenApiDocument } from '@muster/contract'
import { listOperations, serverAddress, tokenHeader, type DocumentedOperation } from './document.ts'
import { curlCommand, renderSample } from './example.ts'
import { html, type Html } from './html.ts'
import { renderCurl } from './operation.ts'

/** The way from a name and a password to a first call; nothing where no tokens are issued. */
export function renderLogin(document: OpenApiDocument): Html | undefined {
  const operations = listOperations(document)
  const login = operations.find(({ id }) => id === 'issueToken')
  if (!login) return undefined
  const firstCall = operations.find(isSimpleRead)
  return html`<section id="log-in" aria-labelledby="log-in-name">
    <h2 id="log-in-name">Log in</h2>
    <ol class="steps" role="list">
      ${renderStep(
        html`<p>
            First get a token, with your own name, password and project in place of these. It
            arrives in the header <code>X-Subject-Token</code>; this line keeps it in a variable of
            your shell, with curl 7.83 or later.
          </p>
          <p>
            A password is one of several ways to prove who you are: see
            <a href="#${login.id}">${login.summary}</a>.
          </p>`,
        renderSample('Get a token', loginCommand(login, document)),
      )}
      ${
        firstCall &&
        renderStep(
          html`<p>
            Then send it as <code>${tokenHeader(document)}</code> with every call that needs a
            token, until the moment that the answer named in <code>expires_at</code>.
          </p>`,
          renderSample('Use it', renderCurl(firstCall, document)),
        )
      }
    </ol>
  </section> `
}

const renderStep = (text: Html, sample: Html): Html =>
  html`<li class="pair">
    <div class="facts">${text}</div>
    <div class="samples">${sample}</div>
  </li>`

const isSimpleRead = ({ method, access, parameters }: DocumentedOperation) =>
  method === 'GET' && access === 'token' && !parameters.some(({ required }) => required)

function loginCommand(
  { method, path, body }: DocumentedOperation,
  document: OpenApiDocument,
): string {
  const command = curlCommand({
    method,
    path,
    address: serverAddress(document),
    body: body?.example,
    options: ['--silent --output /dev/null', `--write-out '%header{x-subject-token}'`],
  })
  return `TOKEN=$(${command})`
}
