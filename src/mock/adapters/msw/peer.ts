export { HttpResponse, http } from 'msw/http';
