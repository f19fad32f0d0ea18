import { parseXml, XmlNode } from '@rgrove/parse-xml'

/**
 * Accepts well-formed XML with the root element `EntityDescriptor` (`/v0` contract, 12.4). A document type
 * declaration is refused, and the parser knows no entities but the five of XML and reads nothing from elsewhere.
 */
export function isSamlMetadata(text: string): boolean {
  try {
    // White space may surround the document, while XML has none before its declaration.
    const { root, children } = parseXml(text.replace(/^[\t\n\r ]+/, ''), { preserveDocumentType: true })
    if (children.some(({ type }) => type === XmlNode.TYPE_DOCUMENT_TYPE)) return false
    return /^(?:[^:]+:)?EntityDescriptor$/.test(root?.name ?? '')
  } catch {
    return false
  }
}
