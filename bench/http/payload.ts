/** The body in both directions: an order of 1 kB as JSON. */
export const payload = {
  id: 'order-000001',
  customer: { name: 'Alice Example', city: 'Köln' },
  open: true,
  total: 1234.5,
  items: Array.from({ length: 12 }, (_, index) => ({
    sku: `sku-${1000 + index}`,
    title: `A thing of kind ${index}`,
    quantity: index + 1,
    price: 9.95,
  })),
};
