import { id, type Texts } from './text.ts'

/** What objects of several collections have. */
export const objectsTexts: Texts = {
  add: { description: 'Ids to add.', example: [id] },
  description: { description: 'A remark for administrators.', example: 'Engineers reach the wiki' },
  email: { description: 'Email address.', example: 'ada@example.com' },
  is_default: { description: 'Whether this is the default.', example: false },
  matches_administrators: {
    description:
      'Whether runs may link, move and take away identities of administrators. Only a caller with scope `*` sets it, or changes what such a directory reads.',
    example: true,
  },
  is_disabled: { description: 'Whether it is switched off.', example: false },
  name: { description: 'Name.', example: 'Engineering' },
  online: { description: 'Whether a session is live.', example: true },
  public_key: {
    description: 'Public key of the tunnel, base64.',
    example: 'c2FtcGxlIHB1YmxpYyBrZXkgb2YgMzIgYnl0ZXMuLi4=',
  },
  remove: { description: 'Ids to remove.', example: [id] },
  token: { description: 'The secret. Shown once, here.', example: 'nag_opaque' },
  type: { description: 'Kind.' },
  version: { description: 'Version of the software.', example: '1.4.0' },
}
