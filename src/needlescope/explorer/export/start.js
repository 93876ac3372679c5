front.default.render({ model: new (host.answered(front.Model))(data), el: document.getElementById("explorer") });
