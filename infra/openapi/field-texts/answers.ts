import { integer, type Texts } from './text.ts'

/** What every answer, page and problem has. */
export const answersTexts: Texts = {
  code: { description: 'The reason, for programs.', example: 'not_found' },
  count: integer('The same number as `total`.', 1),
  data: { description: 'What was asked for.' },
  deleted_count: integer('How many were deleted.', 2),
  detail: { description: 'A sentence for this occurrence.', example: 'The requested resource was not found.' },
  errors: { description: 'Field → messages; only with status 422.', example: { name: ["can't be blank"] } },
  limit: integer('Most rows a page holds.', 50),
  metadata: { description: 'Where this page stands in its list.' },
  next_page: { description: 'Cursor of the next page; null on the last one.', example: null },
  prev_page: { description: 'Cursor of the previous page; null on the first one.', example: null },
  request_id: { description: 'Same as the header `x-request-id`.', example: '0f6b7a52-6a55-4f0e-9d4c-2f1b8c1f7d11' },
  status: { description: 'Status.', example: 'ok' },
  title: { description: 'The HTTP reason phrase.', example: 'Not Found' },
  total: integer('How many there are.', 1),
  truncated: {
    description: 'Names of the fields that are cut, as the whole would be too large for an answer; absent otherwise.',
  },
}
