import { describe, expect, it } from 'vitest'
import { isSamlMetadata } from '#shared/v0/check-providers.ts'

const start = '<EntityDescriptor'
const end = '</EntityDescriptor>'
const of = (content: string) => `${start}>${content}${end}`

describe('well-formed XML with the root EntityDescriptor', () => {
  it.each([
    ['alone', `${start}/>`],
    ['with a prefix', '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="x"/>'],
    ['with a declaration', `<?xml version="1.0" encoding="UTF-8"?>\n${start}/>`],
    ['with a declaration in single quotes', `<?xml version='1.0' standalone='yes' ?>${start}/>`],
    ['with surrounding white space', `\n \t${start}/>\r\n `],
    ['with white space before its declaration', `\n <?xml version="1.0"?>${start}/>`],
    ['with comments', `<!-- a -->${of('<!-- - b -->')}<!-- c -->`],
    ['with processing instructions', `<?a b?>${of('<?c?>')}<?d?>`],
    ['with character data', of('<![CDATA[<&>]] >]]>')],
    ['with predefined entities', `${start} a="&#65;&#x1F40E;&lt;&quot;">&gt;&amp;&apos;${end}`],
    ['with a byte order mark', `\ufeff${start}/>`],
    ['with letters of any script', `${start} é="1"><名>🐎</名>${end}`],
    ['with a > in its text', of('a > b')],
    ['with names of JavaScript properties', `${start} __proto__="1" constructor="2"/>`],
    ['with deep nesting', of('<a>'.repeat(500) + '</a>'.repeat(500))],
    ['with 65,536 characters', of('<a b="c">d</a>'.repeat(4600)).padEnd(65_536)],
  ])('is accepted %s', (_, text) => expect(isSamlMetadata(text)).toBe(true))
})

it.each([
  '<a/>',
  '<entitydescriptor/>',
  '<EntityDescriptors/>',
  '<EntitiesDescriptor><EntityDescriptor/></EntitiesDescriptor>',
  '<a:b:EntityDescriptor/>',
  '<:EntityDescriptor/>',
])('refuses another root: %s', (text) => expect(isSamlMetadata(text)).toBe(false))

describe('malformed XML', () => {
  it.each([
    '',
    'text',
    '{"a":1}',
    `${start}>`,
    `${start}></Other>`,
    of('<a><b></a></b>'),
    of('<br>'),
    `${start}/>${start}/>`,
    `${start}/>x`,
    `x${start}/>`,
    `${start}/>${end}`,
    '<?xml version="1.0"?>',
    '<!-- x -->',
    `<!-- --><?xml version="1.0"?>${start}/>`,
    `<?xml encoding="UTF-8"?>${start}/>`,
    `<?xml version="2"?>${start}/>`,
    `<?xml version="1.0" standalone="maybe"?>${start}/>`,
    of('<?xml version="1.0"?>'),
    `<?XML a?>${start}/>`,
    `${start} a=b/>`,
    `${start} a/>`,
    `${start} a="1" a="2"/>`,
    `${start} a="1"b="2"/>`,
    `${start} a="1'/>`,
    `${start} a="<"/>`,
    `${start} a="&"/>`,
    `${start} 1a="1"/>`,
    `${start} / >`,
    `${start}\u00a0a="1"/>`,
    `< EntityDescriptor/>`,
    `${start}></ EntityDescriptor>`,
    of('a & b'),
    of('&amp'),
    of('&nbsp;'),
    of('&#0;'),
    of('&#;'),
    of('&#X41;'),
    of('&#xD800;'),
    of('&#x110000;'),
    of('a < b'),
    of(']]>'),
    of('<![CDATA[x'),
    `<![CDATA[x]]>${start}/>`,
    of('<!-- a -- b -->'),
    of('<!-- a --->'),
    of('\u0001'),
    of('\ufffe'),
  ])('is refused: %j', (text) => expect(isSamlMetadata(text)).toBe(false))
})

describe('a document type declaration', () => {
  it.each([
    `<!DOCTYPE EntityDescriptor>${start}/>`,
    `<!DOCTYPE EntityDescriptor SYSTEM "file:///etc/passwd">${start}/>`,
    `<!DOCTYPE EntityDescriptor PUBLIC "a" "https://example.net/a.dtd">${start}/>`,
    `<!DOCTYPE EntityDescriptor [<!ENTITY a "b">]>${start}/>`,
    `<!DOCTYPE EntityDescriptor [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${of('&b;')}`,
    `<!DOCTYPE EntityDescriptor [<!ENTITY a SYSTEM "file:///etc/passwd">]>${of('&a;')}`,
    `${start}/><!DOCTYPE EntityDescriptor>`,
    of('<!DOCTYPE a>'),
    `<!doctype EntityDescriptor>${start}/>`,
    `<!ENTITY a "b">${start}/>`,
  ])('is refused: %s', (text) => expect(isSamlMetadata(text)).toBe(false))
})

it('stops early with a result for any nested or unclosed input', () => {
  for (const part of ['<', '&', '<a>', '<a ', '<!--', '<![CDATA[', '<?a ', '<!DOCTYPE a [', ']]', ' '])
    expect(isSamlMetadata(`${start}>${part.repeat(300_000 / part.length)}`), part).toBe(false)
})
