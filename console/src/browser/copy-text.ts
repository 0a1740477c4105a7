/** Copies a text. Plain HTTP has no clipboard API except on localhost, hence the fallback. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  // Content outside a modal dialog cannot be selected. The focus is restored afterwards.
  const focused = document.activeElement
  const home = document.querySelector('dialog:modal') ?? document.body
  home.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
}
