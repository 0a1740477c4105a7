import type { Package } from './packages.ts'

interface Product {
  readonly name: string
  readonly version: string
  readonly license: string
}

const urlOf = ({ name, version }: Pick<Product, 'name' | 'version'>) =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`

const licensesOf = (license: string) =>
  license.includes(' ') ? [{ expression: license }] : [{ license: { id: license } }]

/** The software bill of materials in CycloneDX, without a time or a random number, which would differ each time. */
export function renderSbom(product: Product, packages: readonly Package[]): string {
  const { name, version, license } = product
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': urlOf(product),
        name,
        version,
        purl: urlOf(product),
        licenses: licensesOf(license),
      },
    },
    components: packages.map((each) => ({
      type: 'library',
      'bom-ref': urlOf(each),
      name: each.name,
      version: each.version,
      purl: urlOf(each),
      licenses: licensesOf(each.license),
      hashes: [{ alg: 'SHA-512', content: Buffer.from(each.sha512, 'base64').toString('hex') }],
    })),
  }
  return `${JSON.stringify(bom, null, 2)}\n`
}

/** The licences of the packages in the build, which they require to be distributed. */
export const renderLicenses = (packages: readonly Package[]): string =>
  packages
    .map(({ name, version, license, licenseTexts }) =>
      [`${name} ${version} (${license})`, ...licenseTexts].join('\n\n'),
    )
    .join(`\n\n${'-'.repeat(80)}\n\n`)
    .concat('\n')
