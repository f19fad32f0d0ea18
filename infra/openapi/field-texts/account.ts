import { integer, type Texts } from './text.ts'

/** The account and its limits. */
export const accountTexts: Texts = {
  available: integer('How many more there may be.', 7),
  key: { description: 'Short key of the account, unique in the service.', example: 'k3v9qa' },
  legal_name: { description: 'Registered name.', example: 'Example Ltd' },
  limits: { description: 'The limits that are set, with their use.' },
  slug: { description: 'Name of the account in addresses, unique in the service.', example: 'example' },
  used: integer('How many there are.', 3),
}
