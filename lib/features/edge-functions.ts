/** Origin ids of the one public host. */
export const UPLOADS_ORIGIN = 'uploads';

/** What the functions at the edge go by. */
export interface EdgeRules {
  readonly basePath: string;
  readonly hasUploadGateway: boolean;
}

const MIB = 1024 * 1024;

/** A function's event holds 6 MB; what is not text comes in it as base64. */
const MAX_FORM_IN_FUNCTION_BYTES = 4.4 * MIB;
/** What the API's functions take of JSON. */
const MAX_BODY_BYTES = 5 * MIB;
/** What clients are promised of a form. */
const MAX_FORM_BYTES = 16 * MIB;

/**
 * The code that sees each request to the API first (CloudFront Functions, runtime 2.0): forms with files go to
 * the upload gateway, and what is too large for whoever it goes to is refused in our own words.
 */
export function apiRequestCode({ basePath, hasUploadGateway }: EdgeRules): string {
  const maxFormBytes = hasUploadGateway ? MAX_FORM_BYTES : Math.floor(MAX_FORM_IN_FUNCTION_BYTES);
  return `import cf from 'cloudfront';

function header(request, name) {
  var found = request.headers[name];
  return found ? found.value : '';
}

function handler(event) {
  var request = event.request;
  var isForm =
    request.method === 'POST' &&
    request.uri === '${basePath}/media' &&
    header(request, 'content-type').toLowerCase().startsWith('multipart/form-data');
  var limit = isForm ? ${maxFormBytes} : ${MAX_BODY_BYTES};
  if (Number(header(request, 'content-length') || 0) > limit) return tooLarge(limit);
  ${hasUploadGateway ? `if (isForm) cf.selectRequestOriginById('${UPLOADS_ORIGIN}');` : ''}
  return request;
}

function tooLarge(limit) {
  var message =
    'the request is too large: its body may have ' + limit +
    ' bytes; upload larger files through POST ${basePath}/media/upload-url';
  return {
    statusCode: 413,
    statusDescription: 'Payload Too Large',
    headers: {
      'content-type': { value: 'application/json; charset=utf-8' },
      'cache-control': { value: 'no-store' },
    },
    body: { encoding: 'text', data: JSON.stringify({ error: { code: 'payload_too_large', message: message } }) },
  };
}
`;
}

/** The code that sees each answer with media last: what is not an image or a video is saved and never shown. */
export const MEDIA_ANSWER_CODE = `function handler(event) {
  var response = event.response;
  var type = response.headers['content-type'];
  if (!type || !/^(image|video)\\/(?!svg)/.test(type.value)) {
    response.headers['content-disposition'] = { value: 'attachment' };
  }
  return response;
}
`;
