export { decode, encode } from 'jose/base64url';
