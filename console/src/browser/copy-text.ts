/** Puts a text into the clipboard, which plain HTTP has not, except on the machine itself. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  // What is beside a modal dialog cannot be selected, and what loses the focus gets it back.
  const focused = document.activeElement
  const home = document.querySelector('dialog:modal') ?? document.body
  home.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
}
