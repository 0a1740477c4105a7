interface Program {
  readonly browser: string
  readonly system: string
}

/** From the special to the general: nearly all of them call themselves Safari too. */
const browsers: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /\b(?:OPR|Opera)\/(\d+)/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//],
  ['curl', /^curl\/(\d+)/],
]

const systems: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b|\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
]

/** What a program calls itself, in words; either is '' where it cannot be told. */
export function describeUserAgent(userAgent: string): Program {
  const system = systems.find(([, sign]) => sign.test(userAgent))?.[0] ?? ''
  for (const [name, sign] of browsers) {
    const [, version] = sign.exec(userAgent) ?? []
    if (version !== undefined) return { browser: `${name} ${version}`, system }
  }
  return { browser: '', system }
}
