/** Markup that is safe to send. Made by `html`, which escapes all it inserts, or by `trusted`. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

export type Insertable = Html | string | number | false | undefined | readonly Insertable[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeText = (text: string) => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

function toMarkup(value: Insertable): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.markup
  if (typeof value === 'object') return value.map(toMarkup).join('')
  return escapeText(String(value))
}

/** The indentation of our own source, which no reader of the page needs. */
const withoutIndentation = (text: string) => text.replace(/\s*\n\s*/g, '\n')

/** A template whose inserted texts are escaped; `false` and `undefined` insert nothing. */
export const html = (texts: TemplateStringsArray, ...values: readonly Insertable[]) =>
  new Html(String.raw({ raw: texts.map(withoutIndentation) }, ...values.map(toMarkup)))

/** Markup or style that we wrote ourselves, inserted as it is. */
export const trusted = (markup: string) => new Html(markup)

/** One line of a description: `code` in backticks, the rest plain text. */
export const inlineProse = (text: string) =>
  text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))

/** A description as paragraphs, parted by empty lines. */
export const prose = (text: string | undefined) =>
  text?.split(/\n{2,}/).map((paragraph) => html`<p>${inlineProse(paragraph)}</p>`)

/** The same markup between any two neighbours. */
export const joined = (parts: readonly Insertable[], separator: Insertable): Insertable[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]))

/** A text as a sentence: with a full stop, whether or not its author wrote one. */
export const sentence = (text: string) => inlineProse(/[.!?]$/.test(text) ? text : `${text}.`)

/** A table whose first column names the rows. */
export const table = (
  headings: readonly string[],
  rows: readonly (readonly [name: string, ...cells: Insertable[]])[],
): Html =>
  html`<table>
    <thead>
      <tr>
        ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ([name, ...cells]) =>
          html`<tr>
            <th scope="row"><code>${name}</code></th>
            ${cells.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`
